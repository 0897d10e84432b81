import { existsSync, mkdirSync, readFileSync, renameSync, symlinkSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { type AppUser, systemUser } from '../system/app-user.ts'
import { SYSTEM } from '../system/places.ts'
import { ran } from '../system/systemctl.ts'
import { DATABASES_TARGET, WALLS } from '../system/unit-text.ts'

/** Prefix of the names of everything of databases on a host: units, and users. */
export const DATABASES_PREFIX = 'svc-db-'

/** The words by which users of servers are known. */
export const DATABASE_USERS = 'databases of svc'

const TARGET_TEXT = `[Unit]
Description=databases of the applications of svc

[Install]
WantedBy=multi-user.target
`

/**
 * Parts of a unit that every server of databases has: nothing but its folders and its socket. The folder of
 * the socket stays when the server begins again: containers have it mounted.
 */
export const CONFINED = `${WALLS}
RuntimeDirectoryPreserve=yes
PrivateNetwork=yes
RestrictNamespaces=yes
LimitNOFILE=65536`

/** Returns the user of a server, and makes it when there is none. */
export const serverUser = (name: string, home: string): Promise<AppUser> =>
  systemUser(name, DATABASE_USERS, home)

/** Writes a file in the place of another text; returns whether it was another. */
export function placed(path: string, text: string, mode = 0o644): boolean {
  if (existsSync(path) && readFileSync(path, 'utf8') === text) return false
  writeFileSync(`${path}.new`, text, { mode })
  renameSync(`${path}.new`, path)
  return true
}

/** Starts a unit now and with the machine, before the applications. Returns whether its text is new. */
export async function startServer(unit: string, text: string): Promise<void> {
  const target = placed(join(SYSTEM.units, DATABASES_TARGET), TARGET_TEXT)
  const changed = placed(join(SYSTEM.units, unit), text)
  linked(SYSTEM.wants, DATABASES_TARGET)
  linked(join(SYSTEM.units, `${DATABASES_TARGET}.wants`), unit)
  if (target || changed) await ran('systemctl', 'daemon-reload')
  await ran('systemctl', 'start', unit)
}

function linked(folder: string, unit: string): void {
  mkdirSync(folder, { recursive: true })
  const link = join(folder, basename(unit))
  if (!existsSync(link)) symlinkSync(join(SYSTEM.units, unit), link)
}
