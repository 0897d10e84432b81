import { isDataKey } from '../config/data-key.ts'
import { list } from '../config/setting.ts'
import { optional } from '../config/setting-group.ts'

/** Settings of secrets at rest. */
export const secrets = optional('Secrets at rest', {
  dataKeys: list(
    'SERVICE_DATA_KEYS',
    'Keys that seal stored secrets: the first seals, all open. `svc secrets mint-key` makes one. Unset on PostgreSQL refuses new webhooks, git hooks and second factors; an embedded folder has a key of its own.',
    { secret: true, of: 'keys, each `<name>:<base64 of 32 bytes>`', accepts: isDataKey },
  ),
})

declare module '../config/settings.ts' {
  interface SettingGroups {
    readonly secrets: typeof secrets
  }
}
