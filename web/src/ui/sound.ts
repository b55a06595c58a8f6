/** Sounds made by code, off until the first tap. The peak is -12 dB, and none is longer than 1.5 s. */

export type Sound =
  | { name: 'dice' }
  | { name: 'place' }
  | { name: 'climb'; note: number }
  | { name: 'fall'; note: number }
  | { name: 'out' }
  | { name: 'link'; note: number }
  | { name: 'miss' }
  | { name: 'win' }
  | { name: 'tick' };

const PEAK = 0.25;
const PENTATONIC = [0, 2, 4, 7, 9];

let context: AudioContext | null = null;
let noise: AudioBuffer | null = null;

/** Browsers allow sound only after a tap or a key: call this in its handler. */
export function wakeSound(): void {
  context ??= typeof AudioContext === 'undefined' ? null : new AudioContext();
  if (context?.state === 'suspended') void context.resume();
}

export function play(sound: Sound, delay = 0): void {
  if (!context || context.state !== 'running') return;
  const at = context.currentTime + delay / 1000;
  switch (sound.name) {
    case 'dice':
      for (let i = 0, t = at; i < 5; i++, t += 0.06 + 0.03 * i)
        burst(t, 900 + 1500 * Math.random(), 0.025, 1 - i * 0.12);
      return;
    case 'place':
      tone(at, 1200, 0.06, 'triangle', 0.7);
      return tone(at, 2900, 0.05, 'triangle', 0.35);
    case 'climb':
      return marimba(at, note(sound.note), 0.35);
    case 'fall':
      return marimba(at, note(sound.note) / 2, 0.18);
    case 'out':
      tone(at, 300, 0.22, 'sine', 0.5, 1100);
      return tone(at + 0.22, 1400, 0.05, 'triangle', 0.5);
    case 'link':
      return marimba(at, note(sound.note + 2), 0.3);
    case 'miss':
      burst(at, 260, 0.07, 1);
      return burst(at + 0.16, 200, 0.09, 1);
    case 'win':
      [
        [0, 4, 7],
        [5, 9, 12],
        [7, 11, 16],
      ].forEach((chord, i) =>
        chord.forEach((half) => marimba(at + i * 0.28, 392 * 2 ** (half / 12), i === 2 ? 0.8 : 0.4, 0.5)),
      );
      return;
    case 'tick':
      return tone(at, 1800, 0.03, 'triangle', 0.4);
  }
}

/** The nth note of a pentatonic scale on C. */
const note = (n: number): number => 262 * 2 ** (Math.floor(n / 5) + (PENTATONIC[((n % 5) + 5) % 5] ?? 0) / 12);

function out(at: number, seconds: number, volume: number): GainNode {
  const ctx = context as AudioContext;
  const gain = ctx.createGain();
  gain.gain.setValueAtTime(0.0001, at);
  gain.gain.exponentialRampToValueAtTime(PEAK * volume, at + 0.004);
  gain.gain.exponentialRampToValueAtTime(0.0001, at + seconds);
  gain.connect(ctx.destination);
  return gain;
}

function tone(at: number, hertz: number, seconds: number, type: OscillatorType, volume: number, to = hertz): void {
  const ctx = context as AudioContext;
  const oscillator = ctx.createOscillator();
  oscillator.type = type;
  oscillator.frequency.setValueAtTime(hertz, at);
  oscillator.frequency.exponentialRampToValueAtTime(to, at + seconds);
  oscillator.connect(out(at, seconds, volume));
  oscillator.start(at);
  oscillator.stop(at + seconds + 0.02);
}

/** A bar of wood: its note and the fourth partial, which fades sooner. */
function marimba(at: number, hertz: number, seconds: number, volume = 0.8): void {
  tone(at, hertz, seconds, 'sine', volume);
  tone(at, hertz * 4, seconds * 0.4, 'sine', volume * 0.25);
}

/** A die on wood: band-passed noise. */
function burst(at: number, hertz: number, seconds: number, volume: number): void {
  const ctx = context as AudioContext;
  if (!noise) {
    noise = ctx.createBuffer(1, ctx.sampleRate * 0.2, ctx.sampleRate);
    const samples = noise.getChannelData(0);
    for (let i = 0; i < samples.length; i++) samples[i] = Math.random() * 2 - 1;
  }
  const source = ctx.createBufferSource();
  source.buffer = noise;
  const filter = ctx.createBiquadFilter();
  filter.type = 'bandpass';
  filter.frequency.value = hertz;
  filter.Q.value = 1.4;
  source.connect(filter).connect(out(at, seconds + 0.03, volume));
  source.start(at, 0, seconds + 0.05);
}
