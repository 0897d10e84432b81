import { text, url } from '../setting.ts'
import { optional } from '../setting-group.ts'

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
