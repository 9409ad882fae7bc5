import type { AnswerTo } from '../../api/call.ts';

/** All that the page shows. */
export type State = Required<AnswerTo<'showNow'>>;
