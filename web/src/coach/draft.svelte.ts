/** A position that is being set up: by its parts, by its text, or by the address. */
import { ApiError, fetchGames, type GameInfo, type GameOption } from '../api';
import type { Options } from '../match/cues';
import { coverOf } from '../games';
import { editorOf, lookAt } from './coach';
import type { PositionSeen } from '../protocol';
import { router } from '../router.svelte';
import { coloursOf } from '../screens/new/form';
import { colourName } from '../texts/texts.svelte';

/** Milliseconds after which the keys rest. */
const REST = 300;

export class PositionDraft {
  info = $state.raw<GameInfo | null>(null);
  /** The last position that there is. */
  seen = $state.raw<PositionSeen | null>(null);
  /** What is written, which may be none yet. */
  text = $state('');
  /** Why it is none: the ruling that it breaks, empty if it cannot be read at all; null if it is one. */
  bad = $state<string | null>(null);
  problem = $state('');
  private asked = 0;
  private timer: ReturnType<typeof setTimeout> | undefined;

  /** `screen` shows it at `/screen/game#…`; `preferred` are the options where the address names none. */
  constructor(
    readonly game: string,
    private readonly screen: 'position' | 'strategy',
    private readonly preferred: Options = {},
  ) {
    void this.begin();
  }

  readonly players = $derived(Number(this.seen?.options.players ?? 2));
  readonly colours = $derived.by(() => {
    const seats = Array.from({ length: this.players }, () => ({ who: 'here' as const, name: '', colours: null }));
    return coloursOf({ seats, first: 0 }, coverOf(this.game).colours(this.players));
  });
  readonly seats = $derived(this.colours.map((own) => ({ name: colourName(own[0] ?? 'red'), colours: own })));

  private async begin(): Promise<void> {
    try {
      const { games } = await fetchGames();
      this.info = games.find(({ name }) => name === this.game) ?? null;
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      this.problem = error.code;
      return;
    }
    const from = router.fragment;
    const options = (this.info?.options ?? []).map((option) => [option.name, this.optionOf(option, from)]);
    await this.look(Object.fromEntries(options) as Options, from.at ?? null);
  }

  private optionOf({ name, default: usual }: GameOption, from: Record<string, string>): boolean | number | string {
    const wanted = from[name];
    if (wanted === undefined) return this.preferred[name] ?? usual;
    return typeof usual === 'number' ? Number(wanted) : typeof usual === 'boolean' ? wanted === 'true' : wanted;
  }

  async look(options: Options, position: string | null): Promise<void> {
    const mine = ++this.asked;
    try {
      const found = await lookAt({ game: this.game, options, position });
      if (mine !== this.asked) return;
      this.seen = found;
      this.text = found.text;
      this.bad = null;
      const { screen } = router.route;
      if (screen === this.screen) router.go(editorOf(this.game, found.options, found.text, screen), { replace: true });
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      if (mine !== this.asked) return;
      if (error.code === 'invalid_text' || error.code === 'malformed') this.bad = error.ruling;
      else this.problem = error.code;
      if (this.seen === null && position !== null) void this.look(options, null); // a bad link still leads to a board
    }
  }

  /** A text is looked at when the keys rest. */
  type(value: string): void {
    this.text = value;
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.change(value.trim()), REST);
  }

  change(wanted: string): void {
    if (this.seen) void this.look(this.seen.options, wanted);
  }

  setOption(name: string, value: boolean | number | string): void {
    if (this.seen) void this.look({ ...this.seen.options, [name]: value }, null);
  }

  restart(): void {
    if (this.seen) void this.look(this.seen.options, null);
  }
}
