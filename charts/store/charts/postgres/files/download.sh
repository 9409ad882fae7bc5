# Copies the backup $FROM from the bucket into $BACKUPS.
set -eu
[ -n "$FROM" ] && rclone copy "$TARGET/$FROM/" "$BACKUPS/$FROM" --error-on-no-transfer || {
  echo "There is no backup $FROM. There are: $(rclone lsf --dirs-only "$TARGET/" | tr -d / | tr '\n' ' ')" >&2
  exit 1
}
