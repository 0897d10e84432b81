import { chownSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Problem } from '@svc/core'
import { type HostImage, type ImageOrder, type RegistryLogins, readHostImage } from '@svc/core/adapters'
import type { Say } from '../generation.ts'
import { type AppUser, admitRanges } from './app-user.ts'
import { PODMAN } from './container-text.ts'
import { SYSTEM } from './places.ts'
import { ran } from './systemctl.ts'
import { mountedFolder } from './unit-files.ts'
import { quoted, seenFolder } from './unit-text.ts'
import { keeperText, keeperUnit, podmanHome, userUnit, workAsUser } from './user-unit.ts'

/** Programs that containers need, and the Debian package of each. */
const NEEDED = { podman: 'podman', newuidmap: 'uidmap', slirp4netns: 'slirp4netns', ip: 'iproute2' } as const
const FOLDERS = ['/usr/local/sbin', '/usr/local/bin', '/usr/sbin', '/usr/bin', '/sbin', '/bin']

const BUILD_S = 1_800
const LOOK_S = 60
/** Parts of builds that no image holds any more are kept so long, for the next build to begin with. */
const CACHE_HOURS = 168

/** Names without a registry are Docker Hub's, as everywhere; the operator's own files come after this one. */
const REGISTRIES = 'unqualified-search-registries = ["docker.io"]\n'

/** The file with the logins of a pull or a build, while that goes on. */
const AUTH_FILE = 'auth.json'

const imageTag = (sha: string, service?: string): string =>
  `localhost/svc${service === undefined ? '' : `/${service}`}:${sha}`

/** Packages that this host lacks for containers. */
export const missingPackages = (): readonly string[] =>
  Object.entries(NEEDED).flatMap(([program, name]) =>
    FOLDERS.some((folder) => existsSync(join(folder, program))) ? [] : [name],
  )

/** The lines of a last look at what an application's user was asked to do. */
function failed(code: number | null, what: string, err = ''): Problem {
  const why = err.trim().split('\n').at(-1)?.slice(0, 500)
  return new Problem('conflict', {
    detail: `${what} ended with exit code ${code}${why === undefined || why === '' ? '' : `: ${why}`}`,
  })
}

/** Needs of the releases that are left. */
export interface Wanted {
  /** The releases that the host keeps. */
  readonly releases: readonly string[]
  /** Names of pulled images that nothing needs any more. */
  readonly names: readonly string[]
  /** Digests of the repository's files that the live release mounts. */
  readonly files: readonly string[]
}

/** The script of a build: it sees a copy of the release, and nothing that a link leads to. */
function buildScript(
  { name }: AppUser,
  order: ImageOrder & { readonly sha: string; readonly file: string },
): string {
  const { app, sha, service, file, context = '', target, args = {} } = order
  const copy = `${podmanHome(name)}/context`
  const own = quoted(context === '' ? copy : `${copy}/${context}`)
  const options = [
    `--tag ${imageTag(sha, service)} --file ${quoted(`${copy}/${file}`)}`,
    ...(target === undefined ? [] : [`--target ${target}`]),
    ...Object.entries(args).map(([arg, value]) => `--build-arg ${quoted(`${arg}=${value}`)}`),
  ]
  return `set -e
rm -rf ${copy}
cp -R -P --preserve=mode,timestamps ${seenFolder(app, sha)} ${copy}
for path in ${own} ${quoted(`${copy}/${file}`)}; do
  [ "$(realpath -e "$path")" = "$path" ] || { echo "$path leads elsewhere, or is not there"; exit 1; }
done
code=0
${PODMAN} build ${options.join(' ')} ${own} </dev/null || code=$?
rm -rf ${copy}
exit $code`
}

/** The work on an image, and the logins that it may need. */
interface ImageWork {
  readonly user: AppUser
  readonly onLine: Say
  readonly signal: AbortSignal
  readonly logins: RegistryLogins
}

/** Images and containers of applications, each kept by the podman of its application's own user. */
export class Podman {
  /** @throws Problem `conflict` with the packages that are missing */
  async admit(user: AppUser): Promise<void> {
    const missing = missingPackages()
    if (missing.length > 0)
      throw new Problem('conflict', {
        detail: `containers need ${missing.join(', ')} on this host: apt-get install ${missing.join(' ')}`,
      })
    await admitRanges(user)
    await this.#keep(user)
    const home = podmanHome(user.name)
    mkdirSync(SYSTEM.containers, { recursive: true, mode: 0o711 })
    if (existsSync(home)) return
    mkdirSync(home, { mode: 0o700 })
    const config = '.config/containers/registries.conf.d'
    mkdirSync(join(home, config), { recursive: true })
    writeFileSync(join(home, config, '000-svc.conf'), REGISTRIES)
    for (const path of ['.config', '.config/containers', config, `${config}/000-svc.conf`, ''])
      chownSync(join(home, path), user.uid, user.gid)
  }

  /**
   * Builds the image of a release, or pulls one, and keeps it under the name of its release.
   * @throws Problem `conflict` when that fails; its output was said before
   */
  async image(order: ImageOrder, user: AppUser, say: Say, signal: AbortSignal): Promise<HostImage> {
    const { sha, file, image, service } = order
    if (sha !== undefined) await this.#mounted(order, sha, user)
    if (sha !== undefined) {
      const known = await this.#look(user, imageTag(sha, service))
      if (known !== undefined) {
        say(`the image${service === undefined ? '' : ` of ${service}`} is here already`)
        return known
      }
    }
    const parts = { user, onLine: say, signal, logins: order.logins ?? {} }
    if (image !== undefined) return this.#fetched(parts, { ...order, image })
    if (sha === undefined || file === undefined)
      throw new Problem('invalid-input', { detail: 'the order names neither a Dockerfile nor an image' })
    const code = await this.#loggedIn(parts, buildScript(user, { ...order, sha, file }))
    if (code !== 0) throw failed(code, `the build of ${file}`)
    return this.#known(user, imageTag(sha, service))
  }

  /** An image of a compose file stays known by its name, and is not asked for again. */
  async #fetched(parts: ImageWork, order: ImageOrder & { readonly image: string }): Promise<HostImage> {
    const { image, sha, service, fresh } = order
    const known = service === undefined || fresh ? undefined : await this.#look(parts.user, image)
    if (known === undefined) return this.#pull(parts, image, sha, service)
    if (sha !== undefined)
      await workAsUser({
        user: parts.user,
        script: `${PODMAN} tag ${quoted(image)} ${imageTag(sha, service)}`,
        seconds: LOOK_S,
      })
    return known
  }

  /** Copies files of the release that a container mounts to a place that stays, whichever release has it. */
  async #mounted({ app, files = {} }: ImageOrder, sha: string, user: AppUser): Promise<void> {
    if (Object.keys(files).length === 0) return
    const folder = mountedFolder(user.name)
    const steps = Object.entries(files).map(([digest, path]) => {
      const from = quoted(path === '.' ? seenFolder(app, sha) : `${seenFolder(app, sha)}/${path}`)
      return `[ -e ${digest} ] || {
  [ "$(realpath -e ${from})" = ${from} ] || { echo ${quoted(`${path} leads elsewhere`)} >&2; exit 1; }
  rm -rf .new; cp -R -P --preserve=mode,timestamps ${from} .new
  [ ! -d .new ] || rm -rf .new/.git
  mv .new ${digest}
}`
    })
    const script = `set -e\nmkdir -p ${folder}\ncd ${folder}\n${steps.join('\n')}`
    const { code, err } = await workAsUser({ user, script, seconds: BUILD_S })
    if (code !== 0) throw failed(code, 'the copy of the repository for its containers', err)
  }

  /** Removes images of releases that are gone, files that only they mounted, and old parts of builds. */
  async tidy(user: AppUser, { releases, names, files }: Wanted): Promise<void> {
    const kept = releases.map((sha) => `-e ${quoted(`:${sha}`)}`).join(' ')
    const unnamed = names.map((name) => `${PODMAN} untag ${quoted(name)} ${quoted(name)} || :`)
    const script = `${unnamed.join('\n')}
${PODMAN} images --format '{{.Repository}}:{{.Tag}}' | grep '^localhost/svc[:/]' |
  grep -v -F -e :none ${kept} | xargs -r ${PODMAN} rmi
${PODMAN} image prune --force --filter until=${CACHE_HOURS}h
[ ! -d ${mountedFolder(user.name)} ] || { cd ${mountedFolder(user.name)}
  ls | grep -v -x -F -e none ${files.map((digest) => `-e ${digest}`).join(' ')} | xargs -r rm -rf; }`
    await workAsUser({ user, script, seconds: LOOK_S })
  }

  /** Removes everything that podman has of an application. */
  async forget(user: string): Promise<void> {
    const keeper = join(SYSTEM.units, keeperUnit(user))
    await ran('systemctl', 'stop', userUnit(user), keeperUnit(user)).catch(() => {})
    if (existsSync(keeper)) {
      rmSync(keeper)
      await ran('systemctl', 'daemon-reload')
    }
    for (const folder of [podmanHome(user), `${SYSTEM.running}/${user}`])
      rmSync(folder, { recursive: true, force: true })
  }

  /** Ends work that nobody waits for, and removes what belongs to none of these users. */
  async sweep(users: ReadonlySet<string>): Promise<void> {
    if (!existsSync(SYSTEM.containers)) return
    await ran('systemctl', 'stop', userUnit('*')).catch(() => {})
    for (const user of readdirSync(SYSTEM.containers)) {
      for (const left of ['context', AUTH_FILE])
        rmSync(join(podmanHome(user), left), { recursive: true, force: true })
      if (!users.has(user)) await this.forget(user)
    }
  }

  async #keep({ name }: AppUser): Promise<void> {
    const path = join(SYSTEM.units, keeperUnit(name))
    const text = keeperText(name)
    if (existsSync(path) && readFileSync(path, 'utf8') === text) return
    writeFileSync(path, text, { mode: 0o644 })
    await ran('systemctl', 'daemon-reload')
  }

  async #pull(parts: ImageWork, name: string, sha: string | undefined, service?: string): Promise<HostImage> {
    const { user } = parts
    parts.onLine(`pull: ${name}`)
    const code = await this.#loggedIn(parts, `${PODMAN} pull ${quoted(name)} </dev/null`)
    if (code !== 0) throw failed(code, `the pull of ${name}`)
    const pulled = await this.#known(user, name)
    const tag = imageTag(sha ?? pulled.digest.slice('sha256:'.length), service)
    const unnamed = service === undefined ? ` && ${PODMAN} untag ${quoted(name)} ${quoted(name)}` : ''
    const script = `${PODMAN} tag ${quoted(name)} ${tag}${unnamed}`
    await workAsUser({ user, script, seconds: LOOK_S })
    return pulled
  }

  /** Runs a script with the logins in a file of podman's, which is gone afterwards. */
  async #loggedIn({ user, onLine, signal, logins }: ImageWork, script: string): Promise<number | null> {
    const file = join(podmanHome(user.name), AUTH_FILE)
    const auths = Object.entries(logins).map(([registry, { user: name, password }]) => [
      registry,
      { auth: Buffer.from(`${name}:${password}`).toString('base64') },
    ])
    rmSync(file, { force: true })
    writeFileSync(file, JSON.stringify({ auths: Object.fromEntries(auths) }), { mode: 0o400, flag: 'wx' })
    chownSync(file, user.uid, user.gid)
    try {
      const named = `export REGISTRY_AUTH_FILE=${file}\n${script}`
      return (await workAsUser({ user, script: named, seconds: BUILD_S, onLine, signal })).code
    } finally {
      rmSync(file, { force: true })
    }
  }

  async #known(user: AppUser, name: string): Promise<HostImage> {
    const image = await this.#look(user, name)
    if (image !== undefined) return image
    throw new Problem('conflict', { detail: `podman has no image ${name}` })
  }

  async #look(user: AppUser, name: string): Promise<HostImage | undefined> {
    const format = '{{.Id}} {{.Digest}} {{range $port, $_ := .Config.ExposedPorts}}{{$port}} {{end}}'
    const script = `exec ${PODMAN} image inspect --format '${format}' ${quoted(name)}`
    const { code, out } = await workAsUser({ user, script, seconds: LOOK_S })
    if (code !== 0) return undefined
    const [id, digest, ...exposed] = out.trim().split(/\s+/)
    const ports = exposed.filter((each) => /^\d+\/tcp$/.test(each)).map((each) => Number.parseInt(each, 10))
    return readHostImage({ image: `sha256:${id}`, digest, ports })
  }
}
