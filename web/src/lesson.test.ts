import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Script } from './anim';
import { Lesson, placesOf, viewAt } from './lesson.svelte';
import type { LessonScene, LessonStep, LessonView, StepView } from './protocol';

/** A game in which numbers are added: what is shown is the sum, and in brackets how often something was added. */
const adding: Script = {
  view: (position) => `${position as number} ()`,
  plan: (view, step) => {
    const shown = `${step.position as number} (${step.action}${String(view).match(/\((.*)\)/)?.[1]})`;
    return { cues: [{ kind: 'add', seat: 0, ms: 100, view: shown, facts: step.facts, sounds: [] }], view: shown };
  },
};
const to = (position: number, action = '+'): StepView => ({ action, facts: [], position });
const step = (say: string, more: Partial<LessonStep> = {}): LessonStep => ({ watch: [], say, ask: [], hint: null, legal: [], previews: {}, answers: {}, ...more });
const scene = (title: string, position: number, steps: LessonStep[]): LessonScene => ({ title, options: {}, seats: [{ name: 'Ana', colours: ['red'] }], position, turn: [], steps });

const LESSON: LessonView = {
  game: 'adding',
  learner: 0,
  scenes: [
    scene('first', 0, [
      step('one', { ask: ['one'], legal: ['one', 'two'], hint: 'not two', answers: { one: [to(1)] } }),
      step('either', { watch: [to(5), to(6)], ask: ['one', 'two'], legal: ['one', 'two'], answers: { one: [to(7)], two: [to(8)] } }),
    ]),
    scene('second', 100, [step('look'), step('end', { watch: [to(110)] })]),
  ],
};
const lesson = (at = 0) => new Lesson(LESSON, adding, { speed: () => 1, still: () => false, sound: () => {} }, at);
const pass = (ms: number) => vi.advanceTimersByTimeAsync(ms);

describe('a lesson', () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  it('has its steps in one row', () => {
    expect(placesOf(LESSON).map(({ step: { say }, index }) => `${say} ${index}`)).toEqual(['one 0', 'either 1', 'look 0', 'end 1']);
  });
  it('shows each step as if all before it in its scene had been played', () => {
    expect(placesOf(LESSON).map((place) => viewAt(place, adding))).toEqual(['0 ()', '1 (+)', '100 ()', '100 ()']);
  });
  it('takes a right answer, shows what follows, then speaks again', async () => {
    const it = lesson();
    expect([it.speaking, it.resting, it.legal]).toEqual([true, false, ['one', 'two']]);
    await it.act('one');
    expect([it.at, it.speaking, it.legal]).toEqual([1, false, []]);
    await pass(300);
    expect([it.speaking, it.stage.view, it.legal]).toEqual([true, '6 (+++)', ['one', 'two']]);
  });
  it('counts a try that is not wanted, and changes nothing', async () => {
    const it = lesson();
    await it.act('two');
    await it.act('three');
    expect([it.at, it.wrong, it.speaking, it.stage.view]).toEqual([0, 1, true, '0 ()']);
    await it.act('one');
    expect(it.wrong).toBe(0);
  });
  it('waits after the last answer of a scene, then opens the next', async () => {
    const it = lesson(1);
    await pass(200);
    await it.act('two');
    await pass(100);
    expect([it.at, it.pausing, it.resting, it.finished, it.legal, it.stage.view]).toEqual([1, true, true, false, [], '8 (+++' + '+)']);
    it.next();
    expect([it.at, it.pausing, it.stage.view]).toEqual([2, false, '100 ()']);
  });
  it('does what is asked for who goes on, and ends what moves', async () => {
    const it = lesson();
    it.next();
    expect(it.speaking).toBe(false);
    it.next();
    await pass(0);
    expect([it.at, it.speaking, it.stage.view]).toEqual([1, true, '6 (+++)']);
    it.next();
    await pass(50);
    expect(it.speaking).toBe(false); // it hurries only once
  });
  it('goes back to the beginning of a step', async () => {
    const it = lesson(1);
    await pass(200);
    await it.act('one');
    it.back();
    expect([it.at, it.pausing, it.stage.view]).toEqual([1, false, '1 (+)']);
    it.back();
    expect([it.at, it.speaking]).toEqual([0, true]);
    it.back();
    expect(it.at).toBe(0);
  });
  it('is finished when its last step has been shown, and stays there', async () => {
    const it = lesson(3);
    expect(it.finished).toBe(false);
    await pass(100);
    expect([it.finished, it.stage.view]).toEqual([true, '110 (+)']);
    it.next();
    expect(it.at).toBe(3);
  });
  it('begins where an address says, as far as there is such a step', () => {
    expect([lesson(2).at, lesson(99).at, lesson(-1).at, lesson(NaN).at]).toEqual([2, 3, 0, 0]);
  });
});
