import { writeChanged } from '../write-changed.ts';
import { textsOfRoutes } from './texts.ts';

await writeChanged(await textsOfRoutes());
