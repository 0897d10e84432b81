import { type Infer, optional } from 'superstruct'
import {
  anyText,
  field,
  flag,
  listOf,
  mapOf,
  matching,
  oneOf,
  shape,
  text,
  whole,
} from '../../kernel/validation.ts'
import { processName, stopField } from './definition.ts'

const MAX_WORD_CHARS = 16_384
const MAX_WORDS = 256

const isWord = (value: unknown): boolean =>
  typeof value === 'string' && value.length <= MAX_WORD_CHARS && !value.includes('\0')

const words = listOf(
  field<string>({ type: 'string', maxLength: MAX_WORD_CHARS }, isWord, 'a word of a command'),
  MAX_WORDS,
)
/** A place in a container. A colon or a comma would be read by podman. */
const place = matching(/^\/[A-Za-z0-9._@+/-]{0,255}$/, 'an absolute path of plain words')
const hostName = matching(/^[A-Za-z0-9](?:[A-Za-z0-9._-]{0,62})$/, 'the name of a host')
const digest = matching(/^[0-9a-f]{64}$/, 'a digest')

/** Command of a health check, and its times in seconds. */
const checkField = shape({
  test: words,
  interval_s: whole(1, 3_600),
  timeout_s: whole(1, 600),
  retries: whole(1, 100),
  /** Time after its start in which failures do not count. */
  start_s: whole(0, 3_600),
})

/** The parts of a service of a compose file that other containers have not got. */
export const serviceField = shape({
  /** Names by which the other services of the application reach it. */
  names: listOf(hostName, 12),
  /** Ports at which they do. */
  ports: listOf(whole(1, 65_535), 32),
  /** The name of its image, when that was pulled. */
  source: optional(text(1, 512)),
  entrypoint: optional(words),
  command: optional(words),
  user: optional(
    matching(/^[A-Za-z0-9_][A-Za-z0-9_.-]{0,31}(?::[A-Za-z0-9_][A-Za-z0-9_.-]{0,31})?$/, 'a user'),
  ),
  workdir: optional(place),
  tmpfs: optional(listOf(place, 16)),
  read_only: optional(flag()),
  init: optional(flag()),
  shm: optional(matching(/^[1-9]\d{0,5}M$/, 'megabytes, such as 64M')),
  env: mapOf(anyText(), anyText()),
  /** Variables of databases that it is given: their names, or a star for all. */
  wants: optional(listOf(text(1, 128), 256)),
  /** Volumes of the application, by their names, and where they stand. */
  volumes: mapOf(processName, place),
  /** Names of the volumes that it may not write to. */
  sealed: optional(listOf(processName, 16)),
  /** Folders that are the container's own, with what the image has there. */
  scratch: optional(listOf(place, 16)),
  /** Files and folders of the repository by their places: each has the digest of what it holds. */
  files: optional(mapOf(place, digest)),
  check: optional(checkField),
  /** Services that come before it: that run, are healthy, or have come to their end. */
  after: optional(mapOf(processName, oneOf(['started', 'healthy', 'completed']))),
  /** Whether it comes to an end: others wait for that. */
  once: optional(flag()),
  stop: stopField,
})

/** A service of a compose file as a host runs it. */
export type AppService = Infer<typeof serviceField>

/** The container of a process, as a host runs it. */
export const containerField = shape({
  /** The image's id on the host: the digest of its configuration. */
  image: matching(/^sha256:[0-9a-f]{64}$/, 'the id of an image'),
  /** The port that it listens at, in its own network. */
  port: optional(whole(1, 65_535)),
  service: optional(serviceField),
})

/** The container of a process, as a host runs it. */
export type AppContainer = Infer<typeof containerField>
