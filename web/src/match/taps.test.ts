import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { Taps, type TapTarget } from './taps';

/** Events as a browser sends them, with a clock of their own. */
class Hand implements TapTarget {
  at = 0;
  private readonly listeners = new Map<string, (event: Event) => void>();
  addEventListener(type: string, listener: (event: Event) => void): void {
    this.listeners.set(type, listener);
  }
  removeEventListener(type: string): void {
    this.listeners.delete(type);
  }
  fires(type: string, fields: object = {}): void {
    this.listeners.get(type)?.({ timeStamp: this.at, ...fields } as unknown as Event);
  }
  press(pointerType = 'touch', clientX = 10): void {
    this.fires('pointerdown', { pointerType, clientX, clientY: 10 });
  }
  lift(detail = 1): void {
    this.at += 20;
    this.fires('pointerup');
    this.fires('click', { detail });
  }
  tap(pointerType = 'touch', detail = 1, x = 10): void {
    this.press(pointerType, x);
    this.lift(detail);
  }
  waits(ms: number): void {
    this.at += ms;
  }
  key(repeat = false): void {
    this.fires('keydown', { code: 'Enter', repeat });
  }
}

let shown = 1;
let hand: Hand;
let taps: Taps;
beforeEach(() => {
  vi.useFakeTimers();
  shown = 1;
  hand = new Hand();
  taps = new Taps(hand, () => shown);
});
afterEach(() => void vi.useRealTimers());

it('takes a tap for what was shown when it began', () => {
  hand.tap();
  expect(taps.meant).toBe(true);
  hand.waits(1000);
  hand.press();
  shown = 2;
  hand.lift();
  expect(taps.meant).toBe(false);
});
it('takes what no event does for meant, also after one that was not', () => {
  hand.press();
  shown = 2;
  hand.lift();
  vi.advanceTimersByTime(0);
  expect(taps.meant).toBe(true);
});
it.each([
  ['a double tap', 'touch', 1, false],
  ['a double click', 'mouse', 2, false],
  ['two clicks that the system does not take for a double click', 'mouse', 1, true],
])('%s', (_, pointer, detail, meant) => {
  hand.tap(pointer);
  shown = 2;
  hand.waits(120);
  hand.tap(pointer, detail);
  expect(taps.meant).toBe(meant);
});
it('takes hammering for one tap, until it pauses', () => {
  for (let i = 0; i < 30; i++) {
    hand.tap();
    expect(taps.meant).toBe(i === 0);
    shown = 2 + i;
    hand.waits(100);
  }
  hand.waits(300);
  hand.tap();
  expect(taps.meant).toBe(true);
});
it('takes taps in different places for different ones', () => {
  hand.tap('touch', 1, 10);
  shown = 2;
  hand.waits(100);
  hand.tap('touch', 1, 200);
  expect(taps.meant).toBe(true);
});
it('does not take a tap that ended an animation for a decision', () => {
  shown = -1;
  hand.tap();
  shown = 2;
  hand.waits(100);
  hand.tap();
  expect(taps.meant).toBe(false);
});
it('takes a held key for one press', () => {
  hand.key();
  expect(taps.meant).toBe(true);
  shown = 2;
  hand.key(true);
  expect(taps.meant).toBe(false);
  hand.fires('click', { detail: 0 }); // on a focused button
  expect(taps.meant).toBe(false);
  hand.fires('keyup', { code: 'Enter' });
  vi.advanceTimersByTime(0);
  hand.key();
  expect(taps.meant).toBe(true);
});
it('takes a key that is pressed again at once, and held, for one press', () => {
  hand.key();
  hand.fires('keyup', { code: 'Enter' });
  hand.key();
  vi.advanceTimersByTime(0);
  shown = 2;
  hand.key(true);
  hand.fires('click', { detail: 0 }); // on a focused button
  expect(taps.meant).toBe(false);
});
it('knows what is repeated', () => {
  const seen: boolean[] = [];
  const see = () => seen.push(taps.repeats);
  hand.tap();
  see();
  hand.waits(100);
  hand.tap();
  see();
  hand.waits(1000);
  hand.tap();
  see();
  hand.key();
  see();
  hand.key(true);
  see();
  expect(seen).toEqual([false, true, false, false, true]);
});
it('takes what began before anything could be seen for nothing', () => {
  let since = 0;
  taps.close();
  taps = new Taps(hand, (at) => (at < since ? null : shown));
  since = 50; // painted then
  hand.tap();
  expect(taps.meant).toBe(false);
  hand.waits(1000);
  hand.tap();
  expect(taps.meant).toBe(true);
});
it('takes a key that is held while another is pressed for nothing', () => {
  hand.key();
  hand.fires('keydown', { code: 'KeyR', repeat: false });
  hand.fires('keyup', { code: 'KeyR' });
  vi.advanceTimersByTime(0);
  hand.key(true);
  expect(taps.meant).toBe(false);
});
it('takes the space bar for what was shown when it went down', () => {
  hand.key();
  shown = 2;
  hand.fires('keyup', { code: 'Enter' });
  hand.fires('click', { detail: 0 });
  expect(taps.meant).toBe(false);
});
it('takes a click without a press, as by a screen reader, for what is shown', () => {
  hand.press();
  hand.fires('pointerup'); // elsewhere: no click
  hand.waits(2000);
  shown = 2;
  hand.fires('click', { detail: 0 });
  expect(taps.meant).toBe(true);
});
it('can be closed', () => {
  taps.close();
  hand.press();
  shown = 2;
  hand.lift();
  expect(taps.meant).toBe(true);
});
