/** What sets up positions part by part. */
import type { Component } from 'svelte';
import type { Options } from '../anim';
import type { SeatName } from '../protocol';
import ChainEditor from './ChainEditor.svelte';
import RapidoEditor from './RapidoEditor.svelte';

export interface EditorProps {
  position: unknown;
  options: Options;
  seats: SeatName[];
  /** Whether only starts of turns are set up. */
  starts?: boolean;
  /** The space of the board from where something was taken up. */
  held?: number | null;
  /** Told the text of a position that is wanted. */
  onchange: (text: string) => void;
}

export interface EditorExports {
  /** A tap on a space of the board. */
  tap?(space: number): void;
}

type Editor = Component<EditorProps, EditorExports, 'held'>;
const EDITORS: Record<string, Editor> = { rapido: RapidoEditor as unknown as Editor, chain: ChainEditor as unknown as Editor };

export const editorFor = (game: string): Editor | null => EDITORS[game] ?? null;
