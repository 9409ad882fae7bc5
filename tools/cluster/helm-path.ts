import { provideHelm } from '../local/helm.ts';

console.log(await provideHelm());
