import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Script } from '../../match/cues';
import { Lesson, placesOf, viewAt } from './lesson.svelte';
import type { LessonScene, LessonStep, LessonView, StepView } from '../../protocol';

/** A game in which numbers are added: what is shown is the sum, and in brackets how often something was added. */
const adding: Script = {
  view: (position) => `${position as number} ()`,
  plan: (view, step) => {
    const shown = `${step.position as number} (${step.action}${String(view).match(/\((.*)\)/)?.[1]})`;
    return { cues: [{ kind: 'add', seat: 0, ms: 100, view: shown, facts: step.facts, sounds: [] }], view: shown };
  },
};
const to = (position: number, action = '+'): StepView => ({ action, facts: [], position });
const step = (say: string, more: Partial<LessonStep> = {}): LessonStep => ({
  watch: [],
  say,
  ask: [],
  replies: {},
  legal: [],
  previews: {},
  answers: {},
  ...more,
});
const scene = (title: string, position: number, steps: LessonStep[]): LessonScene => ({
  title,
  options: {},
  seats: [{ name: 'Ana', colours: ['red'] }],
  position,
  turn: [],
  steps,
});

const LESSON: LessonView = {
  game: 'adding',
  learner: 0,
  scenes: [
    scene('first', 0, [
      step('one', { ask: ['one'], legal: ['one', 'two'], replies: { two: 'not two' }, answers: { one: [to(1)] } }),
      step('either', {
        watch: [to(5), to(6)],
        ask: ['one', 'two'],
        legal: ['one', 'two'],
        replies: { one: 'a one', two: 'a two' },
        answers: { one: [to(7)], two: [to(8)] },
      }),
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
    expect(placesOf(LESSON).map(({ step: { say }, index }) => `${say} ${index}`)).toEqual([
      'one 0',
      'either 1',
      'look 0',
      'end 1',
    ]);
  });
  it('shows each step as if all before it in its scene had been played', () => {
    expect(placesOf(LESSON).map((place) => viewAt(place, adding))).toEqual(['0 ()', '1 (+)', '100 ()', '100 ()']);
  });
  it('takes a right answer, shows what follows, then speaks again', async () => {
    const taught = lesson();
    expect([taught.speaking, taught.resting, taught.legal]).toEqual([true, false, ['one', 'two']]);
    await taught.act('one');
    expect([taught.at, taught.speaking, taught.legal]).toEqual([1, false, []]);
    await pass(300);
    expect([taught.speaking, taught.stage.view, taught.legal]).toEqual([true, '6 (+++)', ['one', 'two']]);
  });
  it('answers a wrong choice, and changes nothing', async () => {
    const taught = lesson();
    expect([taught.preselect, taught.objection]).toEqual([false, '']);
    await taught.act('two');
    await taught.act('three');
    expect([taught.at, taught.wrong, taught.speaking, taught.stage.view]).toEqual([0, 1, true, '0 ()']);
    expect([taught.objection, taught.said]).toEqual(['not two', ['one']]);
    await taught.act('one');
    await pass(300);
    expect([taught.wrong, taught.objection, taught.said]).toEqual([0, '', ['either']]);
  });
  it('answers a right choice where several are right', async () => {
    const taught = lesson(1);
    await pass(200);
    await taught.act('two');
    await pass(100);
    expect([taught.said, taught.objection]).toEqual([['a two', 'web.learn.between'], '']);
    taught.next();
    expect(taught.said).toEqual(['look']);
  });
  it('waits after the last answer of a scene, then opens the next', async () => {
    const taught = lesson(1);
    await pass(200);
    await taught.act('two');
    await pass(100);
    expect([taught.at, taught.pausing, taught.resting, taught.finished, taught.legal, taught.stage.view]).toEqual([
      1,
      true,
      true,
      false,
      [],
      '8 (++++)',
    ]);
    taught.next();
    expect([taught.at, taught.pausing, taught.stage.view]).toEqual([2, false, '100 ()']);
  });
  it('does what is asked for who goes on, and ends what moves', async () => {
    const taught = lesson();
    taught.next();
    expect(taught.speaking).toBe(false);
    taught.next();
    await pass(0);
    expect([taught.at, taught.speaking, taught.stage.view]).toEqual([1, true, '6 (+++)']);
    taught.next();
    await pass(50);
    expect(taught.speaking).toBe(false); // it hurries only once
  });
  it('goes back to the beginning of a step', async () => {
    const taught = lesson(1);
    await pass(200);
    await taught.act('one');
    taught.back();
    expect([taught.at, taught.pausing, taught.stage.view]).toEqual([1, false, '1 (+)']);
    taught.back();
    expect([taught.at, taught.speaking]).toEqual([0, true]);
    taught.back();
    expect(taught.at).toBe(0);
  });
  it('is finished when its last step has been shown, and stays there', async () => {
    const taught = lesson(3);
    expect(taught.finished).toBe(false);
    await pass(100);
    expect([taught.finished, taught.stage.view]).toEqual([true, '110 (+)']);
    taught.next();
    expect(taught.at).toBe(3);
  });
  it('begins where an address says, as far as there is such a step', () => {
    expect([lesson(2).at, lesson(99).at, lesson(-1).at, lesson(NaN).at]).toEqual([2, 3, 0, 0]);
  });
});
