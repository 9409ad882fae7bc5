# Copies the dumps of $BACKUPS into the bucket, and keeps the newest $KEEP there. SHA256SUMS comes last: without it a backup is
# incomplete. The slash at the end says that a name is a folder; otherwise rclone would look it up.
set -eu
cd "$BACKUPS"
for name in [0-9]*; do
  rclone copy "$name" "$TARGET/$name/" --exclude SHA256SUMS
  rclone check "$name" "$TARGET/$name/" --exclude SHA256SUMS --one-way 2>/dev/null
  rclone copyto "$name/SHA256SUMS" "$TARGET/$name/SHA256SUMS"
  echo "$name is uploaded"
done
rclone lsf --recursive --files-only --include '/[0-9]*/SHA256SUMS' "$TARGET/" | sort -r | tail -n "+$((KEEP + 1))" |
  while read -r old; do rclone purge "$TARGET/${old%/*}/"; echo "${old%/*} is deleted"; done
