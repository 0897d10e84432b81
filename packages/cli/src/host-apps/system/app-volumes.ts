import { chmodSync, chownSync, existsSync, mkdirSync, renameSync, statSync } from 'node:fs'
import { join } from 'node:path'
import type { AppVolumes } from '@svc/core/adapters'
import type { AppUser } from './app-user.ts'
import { VOLUMES, volumeFolder } from './unit-text.ts'

/** Ends a restore, or the undo of one, that was cut off while folders changed places. */
export function settleVolume(user: Pick<AppUser, 'name'>, name: string): void {
  const place = (prefix = '') => volumeFolder(user.name, `${prefix}${name}`)
  const moved = (from: string, to: string) => {
    if (existsSync(from) && !existsSync(to)) renameSync(from, to)
  }
  if (existsSync(place('.undone-'))) {
    moved(place('.old-'), place())
    moved(place('.undone-'), place('.old-'))
  } else moved(place('.ready-'), place())
}

/**
 * Makes the volumes of an application, each for its user alone. `isOwner`: also one that is there becomes the
 * user's; else the user of a container that has taken it keeps it.
 */
export function makeVolumes(user: AppUser, volumes: AppVolumes, isOwner = true): void {
  for (const name of Object.keys(volumes)) {
    const own = join(VOLUMES, user.name)
    mkdirSync(own, { recursive: true, mode: 0o711 })
    // Containers reach them as this user does; others find no way there.
    chownSync(own, 0, user.gid)
    chmodSync(own, 0o710)
    const folder = volumeFolder(user.name, name)
    settleVolume(user, name)
    mkdirSync(folder, { recursive: true, mode: 0o700 })
    if (isOwner || statSync(folder).uid === 0) chownSync(folder, user.uid, user.gid)
  }
}
