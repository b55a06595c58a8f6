/**
 * What a tap or a key was meant for: the decision that was on screen when it began. A button may get another meaning
 * between the press and the click, and the second tap of a double tap may meet the next decision: neither counts.
 */

/** Taps that follow each other within this time and distance are one: a double tap, or hammering. */
const BURST_MS = 350;
const BURST_PX = 48;
/** A click comes at most this long after the pointer was lifted. */
const CLICK_MS = 500;

const NOTHING = Symbol('meant for nothing');

/** A window. */
export interface TapTarget {
  addEventListener(type: string, listener: (event: Event) => void, capture: boolean): void;
  removeEventListener(type: string, listener: (event: Event) => void, capture: boolean): void;
}

export class Taps {
  /** What the event that is being handled was meant for; null between events. */
  private gesture: { for: unknown; repeats: boolean } | null = null;
  private last: {
    at: number;
    x: number;
    y: number;
    mouse: boolean;
    burst: boolean;
    for: unknown;
    first: unknown;
  } | null = null;
  private lifted = 0;
  private pressed = false;
  private key: { code: string; for: unknown } | null = null;
  private readonly listeners: [string, (event: Event) => void][] = [
    ['pointerdown', (event) => this.press(event as PointerEvent)],
    ['pointerup', (event) => (this.lifted = event.timeStamp)],
    ['pointercancel', () => (this.pressed = false)],
    ['click', (event) => this.click(event as MouseEvent)],
    ['keydown', (event) => this.keyDown(event as KeyboardEvent)],
    ['keyup', (event) => this.keyUp(event as KeyboardEvent)],
  ];

  /**
   * @param onScreen the decision that is on screen if it was there at a time already, as a value that differs from all
   * others; null if there is none
   */
  constructor(
    private readonly target: TapTarget,
    private readonly onScreen: (at: number) => unknown,
  ) {
    for (const [type, listener] of this.listeners) target.addEventListener(type, listener, true);
  }

  /** Whether what is done now is meant for what is on screen. What no event does always is. */
  get meant(): boolean {
    if (this.gesture === null) return true;
    return this.gesture.for !== null && this.gesture.for === this.onScreen(Infinity);
  }

  /** Whether what is done now is done by a held key, a double tap or hammering. */
  get repeats(): boolean {
    return this.gesture?.repeats ?? false;
  }

  close(): void {
    for (const [type, listener] of this.listeners) this.target.removeEventListener(type, listener, true);
  }

  private press({ timeStamp, clientX, clientY, pointerType }: PointerEvent): void {
    const { last } = this;
    const burst =
      last !== null && timeStamp - last.at < BURST_MS && Math.hypot(clientX - last.x, clientY - last.y) < BURST_PX;
    const now = this.onScreen(timeStamp);
    this.last = {
      at: timeStamp,
      x: clientX,
      y: clientY,
      mouse: pointerType === 'mouse',
      burst,
      for: now,
      first: burst ? last.first : now,
    };
    this.pressed = true;
    this.lifted = Infinity;
  }

  private click({ timeStamp, detail }: MouseEvent): void {
    const pressed = this.pressed && timeStamp - this.lifted < CLICK_MS ? this.last : null;
    this.pressed = false;
    const single = pressed?.mouse && detail < 2;
    if (pressed) this.begin(single ? pressed.for : pressed.first, pressed.burst && !single);
    else this.begin(this.key ? this.key.for : this.onScreen(timeStamp)); // by a key, or by a screen reader
  }

  private keyDown({ code, repeat, timeStamp }: KeyboardEvent): void {
    if (!repeat) this.key = { code, for: this.onScreen(timeStamp) };
    this.begin(this.key?.code === code ? this.key.for : NOTHING, repeat);
  }

  private keyUp({ code }: KeyboardEvent): void {
    const { key } = this;
    if (key?.code !== code) return;
    setTimeout(() => {
      if (this.key === key) this.key = null; // a click by the space bar comes before
    });
  }

  /** Until this event has been handled. */
  private begin(meant: unknown, repeats = false): void {
    const gesture = { for: meant, repeats };
    this.gesture = gesture;
    setTimeout(() => {
      if (this.gesture === gesture) this.gesture = null;
    });
  }
}
