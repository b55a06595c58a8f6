import type { OptionEditors } from '../game';
import BoardEditor from './BoardEditor.svelte';

const editors: OptionEditors = { board: BoardEditor };
export default editors;
