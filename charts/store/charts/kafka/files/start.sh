# Formats the volume once, then runs Kafka. It needs only Java and the jars of the image.
set -eu
config=/config/server.properties
# One level of compilation takes less memory and starts sooner
flags='-XX:MaxRAMPercentage=50 -XX:+UseSerialGC -XX:TieredStopAtLevel=1 -XX:-UsePerfData'
run() { exec java $flags -cp '/opt/kafka/libs/*' "$@"; }

if [ ! -f /kafka/data/meta.properties ]; then
  id=$(run kafka.tools.StorageTool random-uuid)
  (run kafka.tools.StorageTool format --cluster-id "$id" --config "$config")
fi
run -Dlog4j2.level=INFO kafka.Kafka "$config"
