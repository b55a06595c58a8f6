/** A position of Rapido in words. */
import type { SeatView } from '../../protocol';
import type { Options } from '../../match/cues';
import type { Texts } from '../../texts/texts.svelte';
import type { RapidoView } from './script';

/** The whole position, as the picture's description. */
export function describe(view: RapidoView, seats: Pick<SeatView, 'name'>[], options: Options, texts: Texts): string {
  const name = (seat: number) => seats[seat]?.name ?? '–';
  const steps = view.steps.map((step, seat) => texts.t('web.rapido.describe.step', { name: name(seat), step }));
  const pairs = view.tower
    .toReversed()
    .map(({ field, seat, value }) =>
      texts.t(field ? 'web.rapido.describe.pair' : 'web.rapido.describe.zero', { field, name: name(seat), value }),
    );
  const tower = pairs.length
    ? texts.t('web.rapido.describe.tower', { pairs: pairs.join('; ') })
    : texts.t('web.rapido.describe.empty');
  return `${texts.t('web.rapido.describe', { finish: options.finish })} ${steps.join(', ')}. ${tower}`;
}
