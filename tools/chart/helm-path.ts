import { requireHelm } from '../local/downloads/helm.ts';

console.log(await requireHelm());
