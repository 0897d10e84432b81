import { wholeNumber } from '../../platform/config/setting.ts'
import { required } from '../../platform/config/setting-group.ts'

/** GitHub sends at most 25 MB. */
const MAX_WEBHOOK_BYTES = 26_214_400

/** Settings of git hooks. */
export const git = required('Git hooks', {
  webhookMaxBytes: wholeNumber('GIT_WEBHOOK_MAX_BYTES', 'Longest message of a git host, in bytes.', {
    fallback: MAX_WEBHOOK_BYTES,
    min: 1024,
    max: MAX_WEBHOOK_BYTES,
  }),
  secretGraceSeconds: wholeNumber(
    'GIT_SECRET_GRACE_S',
    'How long the secret before a rotation is still taken, in seconds.',
    { fallback: 86_400, min: 0, max: 2_592_000 },
  ),
})

declare module '../../platform/config/settings.ts' {
  interface SettingGroups {
    readonly git: typeof git
  }
}
