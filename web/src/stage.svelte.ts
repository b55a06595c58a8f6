/**
 * Plays what happens, one cue after the other: the only clock of all animations. Boards and docks watch `cue` and
 * `view`; nothing on screen is ahead of it, also not the log.
 */
import type { Cue, Options, Script } from './anim';
import type { Fact, Step } from './facts';
import type { Sound } from './sound';

/** One line of the log: a fact of the game, or a text of its own. It is put into words when it is shown. */
export interface LogLine {
  id: number;
  seat: number;
  fact?: Fact;
  key?: string;
  args?: Record<string, unknown>;
}

export type NewLine = Omit<LogLine, 'id'>;

/** Something that happened: steps to animate, or a position that is simply there (an undo). */
export interface Scene {
  steps: Step[];
  /** Where there are no steps. */
  position?: unknown;
  turn?: Fact[];
  lines?: NewLine[];
}

export interface StageOptions {
  script: Script;
  options: Options;
  /** Multiplies times; 0 is at once. */
  speed(): number;
  /** Whether there are to be no flights: every cue is a short fade. */
  still(): boolean;
  sound(sound: Sound, delay: number): void;
}

const LOG_MOST = 200;
const FADE = 120;
const PAST_MOST = 40;

export class Stage {
  /** What is shown. */
  view = $state.raw<unknown>(null);
  /** What moves just now; null while all is at rest. */
  cue = $state.raw<Cue | null>(null);
  /** The newest first. */
  log = $state.raw<LogLine[]>([]);
  /** What the last scene told, for those who listen. */
  told = $state.raw<LogLine[]>([]);
  busy = $state(false);

  private scenes: Scene[] = [];
  private lines = 0;
  /** The lines of the scene that is shown: joined with each other, not with those before. */
  private scene: LogLine[] = [];
  private wake: () => void = () => {};
  private generation = 0;
  /** What was shown of the last positions: an undo brings it back with all that a position does not tell. */
  private past: { position: string; view: unknown }[] = [];

  constructor(private readonly on: StageOptions) {}

  /** Show a position as it is, without moving anything. What was still to be shown is dropped. */
  reset(position: unknown, turn: Fact[]): void {
    this.generation += 1;
    this.scenes = [];
    this.cue = null;
    this.view = position === null ? null : this.on.script.view(position, turn, this.on.options);
    this.past = [];
    this.remember(position);
    if (!this.log.length) this.tell(turn.map((fact) => ({ seat: fact.seat, fact })));
    this.busy = false;
    this.wake();
  }

  push(scene: Scene): void {
    this.scenes.push(scene);
    if (!this.busy) void this.run();
  }

  /** End the current cue at once. */
  skip(): void {
    this.wake();
  }

  /** How fast times pass: the setting, and faster when much is waiting to be shown. */
  get factor(): number {
    if (this.scenes.length > 6) return 0;
    return this.on.speed() * (this.scenes.length > 2 ? 0.5 : 1);
  }

  private async run(): Promise<void> {
    const generation = ++this.generation;
    this.busy = true;
    for (let scene = this.scenes.shift(); scene; scene = this.scenes.shift()) {
      this.scene = [];
      for (const step of scene.steps) {
        const plan = this.on.script.plan(this.view, step, this.on.options);
        for (const cue of plan.cues) {
          await this.show(cue, generation);
          if (generation !== this.generation) return; // reset meanwhile
        }
        this.view = plan.view;
        this.remember(step.position);
      }
      if (scene.position !== undefined) this.view = this.recall(scene.position) ?? this.on.script.view(scene.position, scene.turn ?? [], this.on.options);
      this.tell(scene.lines ?? []);
      this.told = this.scene;
    }
    this.cue = null;
    this.busy = false;
  }

  private async show(cue: Cue, generation: number): Promise<void> {
    const ms = this.on.still() ? Math.min(FADE, cue.ms) * Math.min(1, this.factor) : cue.ms * this.factor;
    if (ms > 0) {
      this.cue = { ...cue, ms };
      for (const { at, sound } of cue.sounds) this.on.sound(sound, cue.ms ? (at * ms) / cue.ms : 0);
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, ms);
        this.wake = () => {
          clearTimeout(timer);
          resolve();
        };
      });
      if (generation !== this.generation) return;
      this.wake = () => {};
    }
    this.view = cue.view;
    this.cue = null;
    this.tell(cue.facts.map((fact) => ({ seat: fact.seat, fact })));
  }

  /** Lines with the newest first, and a new one: it may make one sentence with the one before. */
  private joined([last, ...rest]: LogLine[], line: NewLine, id: number): LogLine[] {
    const both = last && this.on.script.join?.(last, line);
    return both ? [{ ...both, id }, ...rest] : [{ ...line, id }, ...(last ? [last] : []), ...rest];
  }

  private remember(position: unknown): void {
    this.past = [{ position: JSON.stringify(position), view: this.view }, ...this.past].slice(0, PAST_MOST);
  }

  private recall(position: unknown): unknown {
    const text = JSON.stringify(position);
    return this.past.find((known) => known.position === text)?.view;
  }

  private tell(lines: NewLine[]): void {
    if (!lines.length) return;
    let log = this.log;
    for (const line of lines) {
      const id = ++this.lines;
      log = this.joined(log, line, id);
      this.scene = this.joined([...this.scene].reverse(), line, id).reverse();
    }
    this.log = log.slice(0, LOG_MOST);
  }
}
