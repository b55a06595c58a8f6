import type { Face } from './face';
import { rapido, type RapidoCue, type RapidoView } from './rapido';
import Rapido from './Rapido.svelte';
import RapidoDock from './RapidoDock.svelte';
import RapidoHand from './RapidoHand.svelte';

export const rapidoFace: Face<RapidoView, RapidoCue> = {
  script: rapido,
  Board: Rapido,
  Dock: RapidoDock,
  Hand: RapidoHand,
  parts: ({ steps, tower, hand }) => ({ board: { steps, tower }, hand: hand.dice, rolled: hand.dice !== null }),
  turn: (view) => view.turn,
  score: (view, seat, texts) => ({ text: String(view.steps[seat] ?? 0), label: texts.t('web.rapido.step', { step: view.steps[seat] ?? 0 }) }),
  describe(view, seats, options, texts) {
    const name = (seat: number) => seats[seat]?.name ?? '–';
    const steps = view.steps.map((step, seat) => texts.t('web.rapido.describe.step', { name: name(seat), step }));
    const pairs = [...view.tower]
      .reverse()
      .map(({ field, seat, value }) => texts.t(field ? 'web.rapido.describe.pair' : 'web.rapido.describe.zero', { field, name: name(seat), value }));
    const tower = pairs.length ? texts.t('web.rapido.describe.tower', { pairs: pairs.join('; ') }) : texts.t('web.rapido.describe.empty');
    return `${texts.t('web.rapido.describe', { finish: options.finish })} ${steps.join(', ')}. ${tower}`;
  },
  keys: [
    ['R', 'web.rapido.key.roll'],
    ['0 – 5', 'web.rapido.key.place'],
  ],
};
