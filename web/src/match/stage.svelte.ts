/**
 * Plays what happens, one cue after the other: the only clock of all animations. Boards and docks watch `cue` and
 * `view`; nothing on screen is ahead of it, also not the log. What fails is skipped: the stage never stays busy.
 */
import type { Cue, Options, Plan, Script } from './cues';
import type { Fact, Step } from './facts';
import { Round, ROUND, turnsOf } from './round';
import type { Sound } from '../ui/sound';

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
  /** The seat that acted. */
  seat?: number;
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
  /** Whether there are to be no flights: every cue is a short fade, and words stay as long as ever. */
  still(): boolean;
  sound(sound: Sound, delay: number): void;
  /** Milliseconds on and off, by turns. */
  vibrate?(pattern: number[]): void;
  /** The seats of this device. Without it every cue is played in full. */
  mine?(): readonly number[];
  /**
   * The seats that act before this device does, as far as the server is now; of a watcher, one round. Then what
   * others do is shortened, so that a round takes `ROUND` milliseconds.
   */
  ahead?(): number[];
  /** Sets the factor by which style sheets multiply their times; the default sets `--speed`. */
  tempo?(factor: number): void;
}

const LOG_MOST = 200;
const FADE = 120;
const PAST_MOST = 40;
/** More scenes than this are not animated: somebody comes back after a long time. */
const SCENES_MOST = 30;
const SHORT_BUZZ = [20];
const OWN_BUZZ = [50, 60, 90];

/** A scene with its cues. */
interface Planned {
  seat: number | null;
  plans: Plan[];
  view: unknown;
  lines: NewLine[];
  /** It was undone before it was shown. */
  hasty: boolean;
  /** It was shown before. */
  again?: boolean;
}

/** A scene that was shown, and what was shown before it. */
interface Shown {
  before: unknown;
  scene: Planned;
}

export class Stage {
  /** What is shown. */
  view = $state.raw<unknown>(null);
  /** What moves just now; null while all is at rest. */
  cue = $state.raw<Cue | null>(null);
  /** The newest first. */
  log = $state.raw<LogLine[]>([]);
  /** The lines of the last scene, for screen readers. */
  latest = $state.raw<LogLine[]>([]);
  busy = $state(false);
  /** Everything is shown at once until this device is to act. */
  rushing = $state(false);
  /** What others did since this device last acted is shown again. */
  again = $state(false);

  /** What others did since this device last acted. */
  private missed = $state.raw<Shown[]>([]);
  private scenes: Planned[] = [];
  /** The scene that is shown, and what is left of its cues. */
  private current: Planned | null = null;
  private left: Cue[] = [];
  private lines = 0;
  /** The lines of the scene that is shown: joined with each other, not with those before. */
  private scene: LogLine[] = [];
  private wake: () => void = () => {};
  private generation = 0;
  private reported = false;
  private readonly round = new Round();
  /** What was shown of the last positions: an undo brings it back with all that a position does not contain. */
  private past: { position: string; view: unknown }[] = [];

  constructor(private readonly on: StageOptions) {}

  /** Show a position as it is, without moving anything. What was still to be shown is dropped. */
  reset(position: unknown, turn: Fact[]): void {
    this.generation += 1;
    this.scenes = [];
    this.current = null;
    this.left = [];
    this.past = [];
    this.missed = [];
    if (position === null) this.view = null;
    else this.view = this.viewOf(position, turn);
    this.remember(position, this.view);
    if (!this.log.length) this.addLines(turn.map((fact) => ({ seat: fact.seat, fact })));
    this.rest();
    this.wake();
  }

  push(scene: Scene): void {
    if (scene.position !== undefined) this.hurryThrough();
    this.scenes.push(this.planned(scene));
    if (!this.busy) void this.run();
  }

  /** Whether `showAgain` has something to show. */
  get canShowAgain(): boolean {
    return !this.busy && this.missed.length > 0 && this.on.speed() > 0;
  }

  /** Show again what others did since this device last acted. */
  showAgain(): void {
    const [first] = this.missed;
    if (this.busy || !first) return;
    this.again = true;
    this.view = first.before;
    this.scenes = this.missed.map(({ scene }) => ({ ...scene, again: true }));
    void this.run();
  }

  /** End the current cue at once. */
  skip(): void {
    this.wake();
  }

  /** Show everything at once, until the first moment where this device is to act. */
  skipAll(): void {
    this.rushing = this.busy || this.ahead().length > 0;
    this.wake();
  }

  // Planning. It runs ahead of what is shown, so that the length of a round is known.

  private planned(scene: Scene): Planned {
    let view = this.scenes.at(-1)?.view ?? this.current?.view ?? this.view;
    const plans = scene.steps.map((step) => {
      const plan = this.planOf(view, step);
      view = plan.view;
      this.remember(step.position, view);
      return plan;
    });
    const { position, turn = [] } = scene;
    if (position !== undefined) view = this.recall(position) ?? this.viewOf(position, turn);
    return { seat: scene.seat ?? null, plans, view, lines: scene.lines ?? [], hasty: false };
  }

  /** The plan of a step; if the script fails, the position as it is. */
  private planOf(view: unknown, step: Step): Plan {
    try {
      return this.on.script.plan(view, step, this.on.options);
    } catch (error) {
      this.report(error);
      const after = this.viewOf(step.position, step.facts, view);
      const seat = step.facts[0]?.seat ?? 0;
      return { cues: [{ kind: '', seat, ms: 0, view: after, facts: step.facts, sounds: [] }], view: after };
    }
  }

  private viewOf(position: unknown, turn: Fact[], otherwise: unknown = this.view): unknown {
    try {
      return this.on.script.view(position, turn, this.on.options);
    } catch (error) {
      this.report(error);
      return turn.length ? this.viewOf(position, [], otherwise) : otherwise;
    }
  }

  /** What waits to be shown was undone: it passes at once. */
  private hurryThrough(): void {
    for (const scene of this.current ? [this.current, ...this.scenes] : this.scenes) scene.hasty = true;
    this.wake();
  }

  // Playing.

  private async run(): Promise<void> {
    const generation = ++this.generation;
    this.busy = true;
    try {
      for (let scene = this.scenes.shift(); scene; scene = this.scenes.shift()) {
        const before = this.view;
        this.current = scene;
        this.scene = [];
        this.left = cuesOf(scene);
        this.beginScene(scene);
        for (const plan of scene.plans) {
          for (const cue of plan.cues) {
            await this.show(cue, generation);
            if (generation !== this.generation) return; // reset meanwhile
          }
          this.view = plan.view;
        }
        this.view = scene.view;
        if (scene.again) continue;
        this.addLines(scene.lines);
        this.latest = this.scene;
        const isOurs = !scene.plans.length || this.isMine(scene.seat);
        this.missed = isOurs ? [] : [...this.missed, { before, scene }].slice(-PAST_MOST);
      }
    } catch (error) {
      this.report(error);
      if (generation === this.generation && this.current) this.view = this.current.view;
    } finally {
      if (generation === this.generation) this.rest();
    }
    if (generation === this.generation && this.scenes.length) void this.run();
  }

  private async show(cue: Cue, generation: number): Promise<void> {
    const ms = this.duration(cue);
    this.left = this.left.slice(1);
    if (ms > 0) {
      this.tempo(ms / cue.ms);
      this.cue = { ...cue, ms };
      this.accompany(cue, ms);
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
    if (!this.current?.again) this.addLines(cue.facts.map((fact) => ({ seat: fact.seat, fact })));
  }

  /** Sounds and vibration of a cue; without them the match goes on. */
  private accompany(cue: Cue, ms: number): void {
    try {
      for (const { at, sound } of cue.sounds) this.on.sound(sound, cue.ms ? (at * ms) / cue.ms : 0);
      if (this.isKept(cue)) this.on.vibrate?.(OWN_BUZZ);
      else if (cue.word?.tone === 'bad') this.on.vibrate?.(SHORT_BUZZ);
    } catch (error) {
      this.report(error);
    }
  }

  private rest(): void {
    this.current = null;
    this.cue = null;
    this.busy = false;
    this.again = false;
    if (!this.ahead().length || !this.mine().length) this.rushing = false;
    this.round.rest();
    this.tempo(this.on.speed());
  }

  /** Report the first error; the match goes on without what failed. */
  private report(error: unknown): void {
    // eslint-disable-next-line no-console -- it is a bug, and nobody else reports it
    if (!this.reported) console.error('a scene cannot be shown', error);
    this.reported = true;
  }

  // The pace.

  /** The milliseconds of a cue: by the settings, and shorter if others would keep this device waiting. */
  private duration(cue: Cue): number {
    const speed = this.on.speed();
    if (this.rushing || this.current?.hasty || this.scenes.length > SCENES_MOST) return 0;
    const ms = this.lasts(cue);
    const factor = speed * this.share(cue, speed);
    return this.on.still() && !cue.word ? Math.min(FADE, ms) * Math.min(1, factor) : ms * factor;
  }

  private share(cue: Cue, speed: number): number {
    if (!this.on.ahead) return this.scenes.length > 6 ? 0 : this.scenes.length > 2 ? 0.5 : 1;
    if (!speed || this.isMine(this.current?.seat) || this.isKept(cue)) return 1;
    return this.round.share(this.lasts(cue) * speed, this.work(this.turnLeft()) * speed);
  }

  private beginScene({ seat }: Planned): void {
    if (!this.on.ahead) return;
    this.round.resume();
    if (seat === null || this.isMine(seat)) return this.round.begin();
    if (!this.mine().length) this.round.begin();
    const speed = this.on.speed();
    const turns = turnsOf([seat, ...this.scenes.map((scene) => scene.seat), ...this.ahead()]);
    const all = [...this.left, ...this.scenes.flatMap(cuesOf)];
    const kept = all.filter((cue) => this.isKept(cue)).reduce((sum, cue) => sum + cue.ms, 0);
    this.round.enter(seat, ROUND * speed, kept * speed, turns);
  }

  /** The cues that are left of the turn that is shown. */
  private turnLeft(): Cue[] {
    const seat = this.current?.seat;
    const next = this.scenes.findIndex((scene) => scene.seat !== seat);
    return [...this.left, ...this.scenes.slice(0, next < 0 ? undefined : next).flatMap(cuesOf)];
  }

  /** The milliseconds that may be shortened. */
  private work(cues: Cue[]): number {
    return cues.filter((cue) => !this.isKept(cue)).reduce((sum, cue) => sum + this.lasts(cue), 0);
  }

  /** The duration of a cue at normal speed: brief if it concerns nobody at this device. */
  private lasts(cue: Cue): number {
    return cue.brief === undefined || !this.on.mine || this.concernsMe(cue) ? cue.ms : cue.brief;
  }

  /** Whether a cue is a staged moment of this device's, which is not shortened. */
  private isKept(cue: Cue): boolean {
    return cue.word !== undefined && this.concernsMe(cue);
  }

  /** Whether a cue is about a seat of this device, or harms one. */
  private concernsMe(cue: Cue): boolean {
    try {
      const { harms } = this.on.script;
      return this.isMine(cue.seat) || this.mine().some((seat) => cue.facts.some((fact) => harms?.(fact, seat)));
    } catch (error) {
      this.report(error);
      return false;
    }
  }

  private isMine(seat: number | null | undefined): boolean {
    return seat != null && this.mine().includes(seat);
  }

  private mine(): readonly number[] {
    return this.on.mine?.() ?? [];
  }

  private ahead(): number[] {
    return this.on.ahead?.() ?? [];
  }

  private tempo(factor: number): void {
    (this.on.tempo ?? setSpeed)(factor);
  }

  // The log.

  /** Lines with the newest first, and a new one: it may make one sentence with the one before. */
  private joined([last, ...rest]: LogLine[], line: NewLine, id: number): LogLine[] {
    const both = last && this.join(last, line);
    return both ? [{ ...both, id }, ...rest] : [{ ...line, id }, ...(last ? [last] : []), ...rest];
  }

  private join(before: LogLine, next: NewLine): NewLine | null {
    try {
      return this.on.script.join?.(before, next) ?? null;
    } catch (error) {
      this.report(error);
      return null;
    }
  }

  private remember(position: unknown, view: unknown): void {
    this.past = [{ position: JSON.stringify(position), view }, ...this.past].slice(0, PAST_MOST);
  }

  private recall(position: unknown): unknown {
    const text = JSON.stringify(position);
    return this.past.find((known) => known.position === text)?.view;
  }

  private addLines(lines: NewLine[]): void {
    if (!lines.length) return;
    let log = this.log;
    for (const line of lines) {
      const id = ++this.lines;
      log = this.joined(log, line, id);
      this.scene = this.joined([...this.scene].toReversed(), line, id).toReversed();
    }
    this.log = log.slice(0, LOG_MOST);
  }
}

const cuesOf = (scene: Planned): Cue[] => scene.plans.flatMap((plan) => plan.cues);

function setSpeed(factor: number): void {
  if (typeof document !== 'undefined') document.documentElement.style.setProperty('--speed', String(factor));
}
