import { provideHelm } from '../local/downloads/helm.ts';

console.log(await provideHelm());
