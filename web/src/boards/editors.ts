/** What sets up positions part by part, for the games that have it; the text does it for all. */
import type { Component } from 'svelte';
import type { Options } from '../anim';
import type { SeatName } from '../protocol';
import RapidoEditor from './RapidoEditor.svelte';

export interface EditorProps {
  position: unknown;
  options: Options;
  seats: SeatName[];
  /** Told the text of a position that is wanted. */
  onchange: (text: string) => void;
}

const EDITORS: Record<string, Component<EditorProps>> = { rapido: RapidoEditor };

export const editorFor = (game: string): Component<EditorProps> | null => EDITORS[game] ?? null;
