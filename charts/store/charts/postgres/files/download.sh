# Copies the backup $FROM from the bucket into $BACKUPS. Without FROM it makes an empty folder for each backup, for restore.sh to list.
set -eu
if [ -z "$FROM" ]; then
  present=$(rclone lsf --dirs-only "$TARGET/")
  for name in $present; do mkdir "$BACKUPS/$name"; done
  exit
fi
rclone copy "$TARGET/$FROM/" "$BACKUPS/$FROM" --error-on-no-transfer || {
  echo "There is no backup $FROM. There are: $(rclone lsf --dirs-only "$TARGET/" | tr -d / | tr '\n' ' ')" >&2
  exit 1
}
