/**
 * A guided first game that follows the server's script. No rules: the script says which choices are right, and what
 * follows them was played by the engine. For a dock it is a match.
 */
import type { Options, Script } from '../../match/cues';
import type { Preview, Step } from '../../match/facts';
import type { LessonScene, LessonStep, LessonView, SeatName, SeatView } from '../../protocol';
import { Stage, type StageOptions } from '../../match/stage.svelte';

/** A step with the scene that it belongs to; `index` counts within the scene. */
export interface Place {
  scene: LessonScene;
  index: number;
  step: LessonStep;
}

export type LessonOptions = Omit<StageOptions, 'script' | 'options'>;

/** All steps in their order. */
export const placesOf = (lesson: LessonView): Place[] =>
  lesson.scenes.flatMap((scene) => scene.steps.map((step, index) => ({ scene, index, step })));

/** What a step's right answer brings; where there are several, the first. */
const answerOf = ({ ask, answers }: LessonStep): Step[] => answers[ask[0] ?? ''] ?? [];

/** What was played in a step's scene before it. */
const playedBefore = ({ scene, index }: Place): Step[] =>
  scene.steps.slice(0, index).flatMap((step) => [...step.watch, ...answerOf(step)]);

/** What is shown when a step begins, before there is anything to watch. */
export function viewAt(place: Place, script: Script): unknown {
  const { position, turn, options } = place.scene;
  return playedBefore(place).reduce(
    (view, step) => script.plan(view, step, options).view,
    script.view(position, turn, options),
  );
}

/** People of an example or a lesson, as a table shows them. */
export const seated = (seats: SeatName[]): SeatView[] =>
  seats.map((seat) => ({ ...seat, bot: null, owner: 'person', here: true, resigned: false, stand_in_at: null }));

export class Lesson {
  readonly places: Place[];
  /** The step that is shown, from 0. */
  at = $state(0);
  /** A scene has ended with the learner's answer; the next one waits to be opened. */
  pausing = $state(false);
  /** The number of wrong choices in this step. */
  wrong = $state(0);
  /** The key of the guide's answer to the last choice; empty if there is none. */
  reply = $state('');
  stage = $state.raw<Stage>() as Stage;
  private hasty = false;

  constructor(
    readonly data: LessonView,
    private readonly script: Script,
    private readonly on: LessonOptions,
    at = 0,
  ) {
    this.places = placesOf(data);
    this.go(at);
  }

  // What a screen asks.

  get place(): Place {
    return this.places[this.at] as Place;
  }

  get learner(): number {
    return this.data.learner;
  }

  /** Whether the guide speaks: what there was to watch has been shown. */
  get speaking(): boolean {
    return !this.stage.busy;
  }

  /** Whether there is nothing to do but to go on. */
  get resting(): boolean {
    return this.speaking && (this.pausing || !this.place.step.ask.length);
  }

  /** The keys of what the guide says: the text of the step, or after a scene the answer to its last choice. */
  get said(): string[] {
    if (!this.pausing || !this.speaking) return [this.place.step.say];
    return this.reply ? [this.reply, 'web.learn.between'] : ['web.learn.between'];
  }

  /** The key of the guide's answer to a wrong choice; empty if the last choice was right. */
  get objection(): string {
    return this.wrong && this.speaking ? this.reply : '';
  }

  get last(): boolean {
    return this.at === this.places.length - 1;
  }

  /** Everything has been shown. */
  get finished(): boolean {
    return this.last && this.resting;
  }

  // What a dock asks, as of a match.

  readonly hotSeat = false;
  /** Nothing is chosen until the learner chooses. */
  readonly preselect = false;
  readonly mine = $derived.by(() => [this.learner]);
  readonly you = $derived.by(() => this.learner);
  readonly seats = $derived(seated(this.place.scene.seats));
  readonly names = $derived(this.seats.map((seat) => seat.name ?? '–'));
  readonly options = $derived<Options>(this.place.scene.options);
  readonly legal = $derived(this.speaking && !this.pausing ? this.place.step.legal : []);
  readonly myTurn = $derived(this.legal.length > 0);
  readonly previews = $derived<Record<string, Preview>>(this.place.step.previews);

  /** Choose something: what is asked for happens, anything else gets an answer and changes nothing. */
  act(action: string): Promise<null> {
    if (this.legal.includes(action)) {
      const { ask, replies } = this.place.step;
      if (ask.includes(action)) this.answer(action);
      else {
        this.wrong += 1;
        this.reply = replies[action] ?? '';
      }
    }
    return Promise.resolve(null);
  }

  // What a screen does.

  /** On to the next step. What is asked is done for the learner; what moves comes to its end first. */
  next(): void {
    if (this.finished) return;
    if (!this.speaking) this.hurry();
    else if (this.resting) this.go(this.at + 1);
    else this.answer(this.place.step.ask[0] ?? '');
  }

  back(): void {
    this.go(this.pausing ? this.at : this.at - 1);
  }

  /** Show a step from its beginning; there is none before the first or after the last. */
  go(to: number): void {
    this.at = Math.min(this.places.length - 1, Math.max(0, Math.floor(to) || 0));
    this.pausing = false;
    this.wrong = 0;
    this.reply = '';
    this.hasty = false;
    this.close();
    const { scene, step } = this.place;
    // the stage starts from what is shown, not from a position: a position does not show what led to it
    this.stage = new Stage({
      ...this.on,
      speed: () => (this.hasty ? 0 : this.on.speed()),
      script: { ...this.script, view: (shown) => shown },
      options: scene.options,
    });
    this.stage.reset(
      viewAt(this.place, this.script),
      playedBefore(this.place).flatMap(({ facts }) => facts),
    );
    if (step.watch.length) this.stage.push({ steps: step.watch });
  }

  /** Nothing moves any more. */
  close(): void {
    this.stage?.reset(null, []);
  }

  /** Whatever still moves is over at once. */
  private hurry(): void {
    this.hasty = true;
    this.stage.skip();
  }

  private answer(action: string): void {
    const { step, scene, index } = this.place;
    const following = scene.steps[index + 1];
    this.wrong = 0;
    this.reply = step.replies[action] ?? '';
    this.hasty = false;
    if (following) this.at += 1;
    else this.pausing = true;
    this.stage.push({ steps: [...(step.answers[action] ?? []), ...(following?.watch ?? [])] });
  }
}
