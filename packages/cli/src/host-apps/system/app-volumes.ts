import { chmodSync, chownSync, existsSync, mkdirSync, renameSync, statSync } from 'node:fs'
import { join } from 'node:path'
import type { AppVolumes } from '@svc/core/adapters'
import type { AppUser } from './app-user.ts'
import { VOLUMES, volumeFolder } from './unit-text.ts'

/**
 * Makes the volumes of an application, each for its user alone. `isOwner`: also one that is there becomes the
 * user's; else it stays that of the user of a container which has taken it.
 */
export function makeVolumes(user: AppUser, volumes: AppVolumes, isOwner = true): void {
  for (const name of Object.keys(volumes)) {
    const own = join(VOLUMES, user.name)
    mkdirSync(own, { recursive: true, mode: 0o711 })
    // Containers reach them as this user does; others find no way there.
    chownSync(own, 0, user.gid)
    chmodSync(own, 0o710)
    const folder = volumeFolder(user.name, name)
    const ready = volumeFolder(user.name, `.ready-${name}`)
    // A restore was cut off after it had put the volume from before aside.
    if (!existsSync(folder) && existsSync(ready)) renameSync(ready, folder)
    mkdirSync(folder, { recursive: true, mode: 0o700 })
    if (isOwner || statSync(folder).uid === 0) chownSync(folder, user.uid, user.gid)
  }
}
