import { renderObjects, valuesFiles } from '../../tools/chart/render.ts';
import { itWithCrds, problemsOf } from '../kit/kubernetes/crds.ts';

itWithCrds('what operators read fits their definitions, in production with everything watched', async () => {
  const monitoring = { enabled: true, alerts: { enabled: true } };
  const all = await renderObjects({ monitoring }, valuesFiles.prod);
  const ofOthers = all.filter(({ apiVersion }) => /^(kafka\.strimzi\.io|monitoring\.coreos\.com)\//.test(apiVersion));
  expect(new Set(ofOthers.map(({ kind }) => kind))).toEqual(
    new Set(['Kafka', 'KafkaNodePool', 'KafkaTopic', 'KafkaUser', 'PodMonitor', 'PrometheusRule']),
  );
  expect(
    ofOthers.flatMap((one) => problemsOf(one).map((problem) => `${one.kind} ${one.metadata.name}${problem}`)),
  ).toEqual([]);
});
