/** Facts as the wire carries them: what happened, as data. */
import type { Preview as WirePreview, StepView } from './protocol';

export interface Fact {
  kind: string;
  ruling: string;
  /** The seat it happened to, or that did it. */
  seat: number;
  [field: string]: unknown;
}

/** One decision or roll, what it brought about, and the position after it. */
export interface Step {
  action: string;
  facts: Fact[];
  position: unknown;
}

/** What a choice would bring; `rolls` by the number of the die, where it rolls one. */
export interface Preview {
  facts: Fact[];
  rolls: Record<string, Fact[]>;
}

export const asFacts = (facts: Record<string, unknown>[]): Fact[] => facts as unknown as Fact[];

export const asStep = (step: StepView): Step => ({ ...step, facts: asFacts(step.facts) });

export const asPreview = (preview: WirePreview): Preview => preview as unknown as Preview;
