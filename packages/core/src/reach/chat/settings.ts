import { isSite, list, originOf, text, url, wholeNumber } from '../../platform/config/setting.ts'
import { optional } from '../../platform/config/setting-group.ts'

/** Settings of the support chat. */
export const chat = optional('Support chat', {
  perIpPerMinute: wholeNumber('CHAT_RATE_LIMIT', 'Chat messages a minute and client address.', {
    fallback: 15,
    min: 1,
    max: 100_000,
  }),
  globalPerMinute: wholeNumber('CHAT_GLOBAL_RATE_LIMIT', 'Chat messages a minute over all addresses.', {
    fallback: 200,
    min: 1,
    max: 1_000_000,
  }),
  retentionDays: wholeNumber('CHAT_RETENTION_DAYS', 'Days after which conversations are removed.', {
    fallback: 90,
    min: 1,
    max: 3650,
  }),
  allowedOrigins: list(
    'CHAT_ALLOWED_ORIGINS',
    'Sites that may embed the chat; unset: the site of `SERVICE_PUBLIC_URL`, or without it the host that is asked.',
    {
      of: 'origins such as https://example.com',
      accepts: isSite,
      keepAs: originOf,
    },
  ),
  contentDir: text('CHAT_CONTENT_DIR', 'Folder of Markdown, beside the docs, that answers are grounded on.'),
  llmDailyLimit: wholeNumber(
    'CHAT_LLM_DAILY_LIMIT',
    'Answers of the language model a day; then canned ones.',
    {
      fallback: 2000,
      min: 0,
      max: 10_000_000,
    },
  ),
})

/** Settings of the language model. */
export const llm = optional('Language model', {
  apiKey: text('LLM_API_KEY', 'Key of the language model; unset: canned answers from the docs.', {
    secret: true,
  }),
  baseUrl: url(
    'LLM_BASE_URL',
    'Base address of an OpenAI-compatible API; may be on this machine or in a private network.',
    ['https', 'http'],
  ),
  model: text('LLM_MODEL', 'Name of the model.'),
})

declare module '../../platform/config/settings.ts' {
  interface SettingGroups {
    readonly chat: typeof chat
    readonly llm: typeof llm
  }
}
