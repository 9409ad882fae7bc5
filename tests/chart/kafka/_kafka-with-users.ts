import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { execa } from 'execa';
import { createKafka } from '../../../services/shared/src/messaging/kafka/client.ts';
import { createLog } from '../../../services/shared/src/observability/log.ts';
import { freePort } from '../../../tools/free-port.ts';
import { provideJava, provideKafka } from '../../../tools/local/downloads/java.mjs';
import { certificateFor } from '../../kit/certificates.ts';
import { until } from '../../kit/until.ts';

/** The password of the user `other`, at the listener for other login mechanisms. */
export const otherPassword = 'a password of its own';

/**
 * Starts a broker as Strimzi configures it for login: TLS with its own authority, SCRAM-SHA-512, and rights by ACL only. It also has
 * the open listener of global.kafka.bothListeners, one for other login mechanisms, and one for certificates of the authority. Clients
 * of these three may do everything. Its files are in the folder.
 * @param tokenKeys a JSON Web Key Set with the keys that sign tokens of the user `other`
 */
export async function startKafkaWithUsers(
  dir: string,
  passwords: Record<string, string>,
  authority: string,
  tokenKeys: string,
) {
  const ports = [await freePort(), await freePort(), await freePort(), await freePort(), await freePort()];
  const [open, client, controller, logins, mutual] = ports;
  const { key, cert } = await certificateFor('127.0.0.1');
  const keys = pathToFileURL(join(dir, 'token-keys.json')).href;
  await writeFile(join(dir, 'token-keys.json'), tokenKeys);
  const pem = (text: string) => text.trim().replace(/\r?\n/g, '\\n\\\n ');
  const file = join(dir, 'server.properties');
  await writeFile(
    file,
    `process.roles=broker,controller
node.id=1
controller.quorum.voters=1@127.0.0.1:${controller}
listeners=OPEN://127.0.0.1:${open},CLIENT://127.0.0.1:${client},CONTROLLER://127.0.0.1:${controller},LOGINS://127.0.0.1:${logins},MUTUAL://127.0.0.1:${mutual}
listener.security.protocol.map=OPEN:PLAINTEXT,CLIENT:SASL_SSL,CONTROLLER:PLAINTEXT,LOGINS:SASL_PLAINTEXT,MUTUAL:SSL
inter.broker.listener.name=OPEN
controller.listener.names=CONTROLLER
sasl.enabled.mechanisms=SCRAM-SHA-512
listener.name.client.scram-sha-512.sasl.jaas.config=org.apache.kafka.common.security.scram.ScramLoginModule required;
listener.name.logins.sasl.enabled.mechanisms=PLAIN,SCRAM-SHA-256,OAUTHBEARER
listener.name.logins.plain.sasl.jaas.config=org.apache.kafka.common.security.plain.PlainLoginModule required user_other="${otherPassword}";
listener.name.logins.scram-sha-256.sasl.jaas.config=org.apache.kafka.common.security.scram.ScramLoginModule required;
listener.name.logins.oauthbearer.sasl.jaas.config=org.apache.kafka.common.security.oauthbearer.OAuthBearerLoginModule required;
listener.name.logins.oauthbearer.sasl.server.callback.handler.class=org.apache.kafka.common.security.oauthbearer.OAuthBearerValidatorCallbackHandler
listener.name.logins.oauthbearer.sasl.oauthbearer.jwks.endpoint.url=${keys}
listener.name.logins.oauthbearer.sasl.oauthbearer.expected.audience=kafka
listener.name.logins.oauthbearer.connections.max.reauth.ms=12000
listener.name.mutual.ssl.client.auth=required
listener.name.mutual.ssl.truststore.type=PEM
listener.name.mutual.ssl.truststore.certificates=${pem(authority)}
ssl.keystore.type=PEM
ssl.keystore.certificate.chain=${pem(cert)}
ssl.keystore.key=${pem(key)}
authorizer.class.name=org.apache.kafka.metadata.authorizer.StandardAuthorizer
super.users=User:ANONYMOUS;User:other;User:CN=other
log.dirs=${join(dir, 'data')}
auto.create.topics.enable=false
group.initial.rebalance.delay.ms=0
offsets.topic.num.partitions=1
offsets.topic.replication.factor=1
transaction.state.log.replication.factor=1
transaction.state.log.min.isr=1
`,
  );
  const program = join(await provideJava(), 'bin/java');
  const classPath = join(await provideKafka(), 'libs', '*');
  const allowed = `-Dorg.apache.kafka.sasl.oauthbearer.allowed.urls=${keys}`;
  const java = [allowed, '-Xmx384m', '-XX:+UseSerialGC', '-XX:TieredStopAtLevel=1', '-cp', classPath];
  const users = Object.entries(passwords).flatMap(([name, password]) => [
    '--add-scram',
    `SCRAM-SHA-512=[name=${name},password=${password}]`,
  ]);
  users.push('--add-scram', `SCRAM-SHA-256=[name=other,password=${otherPassword}]`);
  const format = ['kafka.tools.StorageTool', 'format', '-t', 'MkU3OEVBNTcwNTJENDM2Qg', '-c', file];
  await execa(program, [...java, ...format, ...users]);
  const broker = execa(program, [...java, 'kafka.Kafka', file], { reject: false, forceKillAfterDelay: 10_000 });

  const log = createLog('test', 'silent');
  const admin = createKafka({ brokers: [`127.0.0.1:${open}`], clientId: 'test', log }).admin();
  await until('the broker accepts connections', () => admin.connect().then(() => true), {
    timeoutMs: 100_000,
    intervalMs: 200,
  });
  return {
    admin,
    brokers: [`127.0.0.1:${client}`],
    openBrokers: [`127.0.0.1:${open}`],
    loginBrokers: [`127.0.0.1:${logins}`],
    mutualBrokers: [`127.0.0.1:${mutual}`],
    java: program,
    libs: classPath,
    ca: cert,
    async stop() {
      await admin.disconnect();
      broker.kill();
      await broker;
    },
  };
}
