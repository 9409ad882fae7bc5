# Formats the volume once, then becomes Kafka. Of the image it needs Java and the jars alone.
set -eu
config=/config/server.properties
# One level of compilation: less memory, and ready sooner
flags='-XX:MaxRAMPercentage=50 -XX:+UseSerialGC -XX:TieredStopAtLevel=1 -XX:-UsePerfData'
run() { exec java $flags -cp '/opt/kafka/libs/*' "$@"; }

if [ ! -f /kafka/data/meta.properties ]; then
  id=$(run kafka.tools.StorageTool random-uuid)
  (run kafka.tools.StorageTool format --cluster-id "$id" --config "$config")
fi
run -Dlog4j2.level=INFO kafka.Kafka "$config"
