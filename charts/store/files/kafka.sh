# Runs a command of Kafka: sh /tools/kafka.sh topics --list. It needs only Java and the jars of the image.
set -eu
tools=org.apache.kafka.tools
settings=--command-config
case ${1:-} in
  topics) class=$tools.TopicCommand ;;
  configs) class=kafka.admin.ConfigCommand ;;
  consumer-groups) class=$tools.consumer.group.ConsumerGroupCommand ;;
  delete-records) class=$tools.DeleteRecordsCommand ;;
  leader-election) class=$tools.LeaderElectionCommand settings=--admin.config ;;
  log-dirs) class=$tools.LogDirsCommand ;;
  metadata-quorum) class=$tools.MetadataQuorumCommand ;;
  reassign-partitions) class=$tools.reassign.ReassignPartitionsCommand ;;
  *) echo 'Commands: topics, configs, consumer-groups, delete-records, leader-election, log-dirs, metadata-quorum, reassign-partitions' >&2 && exit 2 ;;
esac
shift
# Kafka requests tokens only from these URLs.
exec java ${KAFKA_TOKEN_URL:+"-Dorg.apache.kafka.sasl.oauthbearer.allowed.urls=$KAFKA_TOKEN_URL"} \
  -Xmx96m -XX:+UseSerialGC -XX:TieredStopAtLevel=1 -XX:-UsePerfData -Dlog4j2.level=ERROR -cp '/opt/kafka/libs/*' \
  $class --bootstrap-server "$KAFKA_BROKERS" $settings /tools/client.properties "$@"
