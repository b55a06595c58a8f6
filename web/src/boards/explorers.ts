/** What to do with every roll at the start of a turn, as each game shows it. */
import type { Component } from 'svelte';
import type { Options } from '../anim';
import type { PositionSeen, SeatName } from '../protocol';
import ChainRolls from './ChainRolls.svelte';
import RapidoRolls from './RapidoRolls.svelte';

export interface RollsProps {
  seen: PositionSeen;
  options: Options;
  seats: SeatName[];
}

const EXPLORERS: Record<string, Component<RollsProps>> = { rapido: RapidoRolls, chain: ChainRolls };

export const explorerFor = (game: string): Component<RollsProps> | null => EXPLORERS[game] ?? null;
