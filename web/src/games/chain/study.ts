import type { Study } from '../game';
import Editor from './Editor.svelte';
import Rolls from './Rolls.svelte';

const study: Study = { Editor, Rolls };

export default study;
