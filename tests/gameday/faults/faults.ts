import { eventFaults } from './events.ts';
import { kafkaFaults } from './kafka.ts';
import { postgresFaults } from './postgres.ts';
import { type Fault, processFaults } from './processes.ts';

/** In the order in which they happen: first what clears last. */
export const faults: Fault[] = [...processFaults, ...postgresFaults, ...kafkaFaults, ...eventFaults];

/** Alerts that nothing on one machine can cause, and why. */
export const notHere: Record<string, string> = {
  StoreAutoscalerAtMaximum:
    'kube-state-metrics reports the autoscalers of a cluster; its rule is tested by promtool alone',
  StoreBackupMissing: 'kube-state-metrics reports the CronJobs of a cluster; its rule is tested by promtool alone',
  StoreBaseBackupMissing: 'only CloudNativePG has base backups; its rule is tested by promtool alone',
  StoreBatchUndecodable: "the store's topics refuse such a batch; services/consumers has one on a topic of its own",
  StoreCertificateExpires: 'the stage has no certificate; its rule is tested by promtool alone',
  StoreJobFailed: 'kube-state-metrics reports the Jobs of a cluster; its rule is tested by promtool alone',
  StoreMailsNotSent: 'the stage has no mail server; its rule is tested by promtool alone',
  StoreMigrationWaits: 'only a new release has a migration that is not applied; its rule is tested by promtool alone',
  StoreOrdersStuck:
    'a stage whose times are shortened cancels orders before they are stuck; its rule is tested by promtool alone',
  StorePostgresArchiving: 'only CloudNativePG reports it; its rule is tested by promtool alone',
  StorePostgresReplicationLag: 'only CloudNativePG reports it; its rule is tested by promtool alone',
  StorePostgresStandbyLost: 'only CloudNativePG reports it; its rule is tested by promtool alone',
  StoreReplicasMissing: 'kube-state-metrics reports the Deployments of a cluster; its rule is tested by promtool alone',
  StoreRolloutStuck: 'kube-state-metrics reports the Deployments of a cluster; its rule is tested by promtool alone',
  StoreVolumeFilling: 'kubelet reports the volumes of a cluster; its rule is tested by promtool alone',
  StoreVolumeFull: 'kubelet reports the volumes of a cluster; its rule is tested by promtool alone',
};
