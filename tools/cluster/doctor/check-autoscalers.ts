import { AutoscalingV2Api, type V2HorizontalPodAutoscaler } from '@kubernetes/client-node';
import { type Cluster, isStatus } from '../api.ts';
import { componentsOf, nameOf } from '../rollout.ts';
import { type Finding, ok, wrong } from './findings.ts';

/** The same as in the alert StoreAutoscalerAtMaximum. */
const longMs = 30 * 60_000;

/** Checks that autoscalers find their target and its metrics, and are not at their maximum for long. */
export async function checkAutoscalers({ config, namespace, release }: Cluster, now = Date.now()): Promise<Finding[]> {
  const api = config.makeApiClient(AutoscalingV2Api);
  // KEDA's autoscalers have the labels of their ScaledObject.
  const labelSelector = componentsOf(release);
  const found = await api.listNamespacedHorizontalPodAutoscaler({ namespace, labelSelector }).catch((error) => {
    if (isStatus(error, 403)) return undefined;
    throw error;
  });
  if (!found) return [wrong('autoscalers: not checked', 'this command has no right to list them')];
  return found.items.map((one) => checkAutoscaler(one, namespace, now));
}

function checkAutoscaler(one: V2HorizontalPodAutoscaler, namespace: string, now: number): Finding {
  const name = `autoscaler ${nameOf(one)}`;
  const describe = `kubectl -n ${namespace} describe hpa ${nameOf(one)}`;
  const { currentReplicas = 0, desiredReplicas, conditions = [] } = one.status ?? {};
  const condition = (type: string) => conditions.find((each) => each.type === type);
  const [able, active, limited] = ['AbleToScale', 'ScalingActive', 'ScalingLimited'].map(condition);
  const target = one.spec?.scaleTargetRef;
  if (able?.status === 'False') {
    const what = able.reason === 'FailedGetScale' ? `does not find ${target?.kind} ${target?.name}` : 'cannot scale';
    return wrong(`${name} ${what}: ${able.message ?? able.reason}`, describe);
  }
  // An autoscaler ignores a target that somebody has scaled to nothing.
  if (active?.status === 'False' && active.reason !== 'ScalingDisabled') {
    const remedy = `${describe}; for CPU the cluster needs metrics-server: kubectl top pods -n ${namespace}`;
    return wrong(`${name} does not know the load: ${active.message ?? active.reason}`, remedy);
  }
  const max = one.spec?.maxReplicas ?? 0;
  const since = limited?.lastTransitionTime;
  const isAtMaximum = limited?.status === 'True' && limited.reason === 'TooManyReplicas';
  if (isAtMaximum && since && now - since.getTime() > longMs) {
    const remedy = `raise autoscaling.maxReplicas of ${nameOf(one)}, or see docs/runbooks/rollouts.md, StoreAutoscalerAtMaximum`;
    return wrong(`${name} has wanted more than its maximum of ${max} since ${since.toISOString()}`, remedy);
  }
  if (!able)
    return wrong(
      `${name}: no controller has handled it`,
      'the cluster has no controller for autoscalers, or it does not run',
    );
  return ok(`${name}: ${currentReplicas} of at most ${max}, wants ${desiredReplicas}`);
}
