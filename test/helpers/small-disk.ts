/** Small and read-only disks, mounted in a namespace of its own around one command. */
import { spawnSync } from 'node:child_process'

const canMount = spawnSync('unshare', ['-rm', 'sh', '-c', 'mount -t tmpfs -o size=64k tmpfs /mnt']).status === 0

/** True where the system forbids mounts; the reason is printed. */
export const noMounts = !canMount
if (noMounts) process.stdout.write('skipped: full and read-only disks (no mount allowed here)\n')

/**
 * The command to put before another: `folder` lies on a disk of its own that `options` describe (`size=256k`, `ro`),
 * filled with what the folder held.
 * What the command writes there is gone with it; copied to `keepIn` when it ends by itself.
 */
export function onDisk(folder: string, options: string, keepIn?: string): readonly string[] {
  const script = `
    set -e
    staging=$(mktemp -d)
    cp -a "$1/." "$staging/"
    mount -t tmpfs -o "$2" tmpfs "$1"
    cp -a "$staging/." "$1/"
    rm -rf "$staging"
    case "$3" in *ro*) mount -o remount,bind,ro "$1" ;; esac
    keep=$4
    folder=$1
    shift 4
    cd "$folder"
    set +e
    "$@"
    code=$?
    [ -z "$keep" ] || cp -a "$folder/." "$keep/"
    exit $code`
  const size =
    options
      .split(',')
      .filter((option) => option !== 'ro')
      .join(',') || 'size=64m'
  return ['unshare', '-rm', 'sh', '-c', script, 'sh', folder, size, options, keepIn ?? '']
}
