/** Facts as the wire carries them: what happened, as data. */
export type { Fact, Preview, StepView as Step } from '../protocol';
