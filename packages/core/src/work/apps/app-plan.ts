import {
  type AppCron,
  type AppProcess,
  type AppStop,
  type AppVolumes,
  BUILD_TIMEOUT_S,
} from './definition.ts'

/** The files of a release that say what kind of application it is. */
export interface ReleaseFacts {
  /** Names of the files in the folder itself. */
  readonly names: ReadonlySet<string>
  /** Whether `public/index.html` is there. */
  readonly hasPublicIndex: boolean
  /** Text of a file of the folder; undefined when it is not there. */
  readonly text: (name: string) => string | undefined
}

/** An image that is built of a Dockerfile. */
export interface FileImage {
  readonly file: string
  /** The stage that is built; the last one without. */
  readonly target?: string | undefined
  readonly args?: Readonly<Record<string, string>> | undefined
}

/** A compose file. */
export interface ComposePlan {
  readonly file: string
  /** The service that answers visitors as `web`, if that is said. */
  readonly service?: string | undefined
  /** Further services that answer visitors, by their processes, with their ports if those are said. */
  readonly visited?: Readonly<Record<string, number | undefined>>
}

/** How a release is built and run. */
export interface AppPlan {
  /**
   * `processes`: programs that are kept running; `containers`: so are containers of an image; `compose`: so
   * are the services of a compose file; `static`: files that the front serves; `script`: `deploy.sh` alone;
   * `files`: nothing runs.
   */
  readonly type: 'processes' | 'containers' | 'compose' | 'static' | 'script' | 'files'
  /** The file that decided, in words: one line of the log. */
  readonly why: string
  /** Further lines for the log. */
  readonly notes: readonly string[]
  /** Commands of the build, in their order. */
  readonly build: readonly string[]
  /** Names of the application's variables that the build gets. */
  readonly buildEnv: readonly string[]
  /** Seconds that the build may take. */
  readonly buildTimeoutS: number
  /** Command that runs before the new release starts. */
  readonly release: string | undefined
  readonly processes: Readonly<Record<string, AppProcess>>
  readonly stop: AppStop
  readonly volumes: AppVolumes
  readonly cron: readonly AppCron[]
  /** The folder that is served, the release itself when it names none, and the page for every other path. */
  readonly static:
    | { readonly folder?: string | undefined; readonly fallback?: string | undefined }
    | undefined
  /** The origin of the containers' image: a Dockerfile of the release, or a registry. */
  readonly image: FileImage | { readonly name: string } | undefined
  /** The compose file, and the service that answers visitors, if that is said. */
  readonly compose: ComposePlan | undefined
  /** The range of versions of Node.js that the application wants. */
  readonly node: string | undefined
  /** Debian packages that the host needs. */
  readonly packages: readonly string[]
  /** Applications on the same host that it reaches. */
  readonly links: readonly string[]
  /** Whether it is a program of Python, and the version that it wants, such as `3.11`. */
  readonly python: { readonly version: string | undefined } | undefined
}

/** The plan of a release of which nothing is known. */
export const EMPTY: AppPlan = {
  type: 'files',
  why: '',
  notes: [],
  build: [],
  buildEnv: [],
  buildTimeoutS: BUILD_TIMEOUT_S,
  release: undefined,
  processes: {},
  stop: { signal: 'SIGTERM', grace_s: 30 },
  volumes: {},
  cron: [],
  static: undefined,
  image: undefined,
  compose: undefined,
  node: undefined,
  packages: [],
  links: [],
  python: undefined,
}
