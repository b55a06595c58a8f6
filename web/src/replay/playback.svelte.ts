/** A replay that is being looked at: which moment is shown, and what moves there. */
import type { Script } from '../match/cues';
import type { ReplayData } from '../api';
import { film, type Film } from './replay';
import { settings } from '../settings/settings.svelte';
import { play } from '../ui/sound';
import { Stage } from '../match/stage.svelte';

/** They multiply times: 2 is slow. */
export const RATES = [2, 1, 0.4] as const;
const REST = 420;
const STILL_REST = 900;

export class Playback {
  readonly film: Film;
  readonly stage: Stage;
  /** How many plies have been played in what is shown, or will have been when it has moved. */
  ply = $state(0);
  playing = $state(false);
  rate = $state<(typeof RATES)[number]>(1);

  constructor(data: ReplayData, script: Script) {
    this.film = film(data, script);
    this.stage = new Stage({
      script,
      options: data.options,
      speed: () => settings.speed * this.rate,
      still: () => settings.still,
      sound: (sound, delay) => {
        if (!settings.muted) play(sound, delay);
      },
    });
    this.go(0);
  }

  get last(): number {
    return this.film.steps.length;
  }

  /** Milliseconds to look at a position before the next. */
  get rest(): number {
    return (settings.still ? STILL_REST : REST) * this.rate;
  }

  /** Show a moment as it is. */
  go(ply: number): void {
    const to = Math.min(this.last, Math.max(0, Math.round(ply) || 0));
    this.stage.reset(to ? this.film.steps[to - 1]?.position : this.film.data.start, []);
    this.stage.view = this.film.views[to];
    this.ply = to;
  }

  /** Move to the next moment, as it was seen at the table. */
  next(): void {
    const step = this.film.steps[this.ply];
    if (!step) return;
    if (this.stage.busy) this.go(this.ply);
    this.ply += 1;
    this.stage.push({ steps: [step] });
  }

  /** The end of this turn or the next; the start of this one or the one before. */
  turn(way: 1 | -1): void {
    const { turns } = this.film;
    const to =
      way > 0 ? turns.find((turn) => turn.to > this.ply)?.to : turns.findLast((turn) => turn.from < this.ply)?.from;
    this.go(to ?? (way > 0 ? this.last : 0));
  }

  toggle(): void {
    if (!this.playing && this.ply >= this.last) this.go(0);
    this.playing = !this.playing;
  }

  close(): void {
    this.playing = false;
    this.stage.reset(null, []);
  }
}
