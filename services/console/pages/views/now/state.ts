import type { AnswerTo } from '../../api/call.ts';

/** Everything that the page shows. */
export type State = Required<AnswerTo<'showNow'>>;
