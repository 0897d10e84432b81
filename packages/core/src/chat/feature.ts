import type { Base } from '../base.ts'
import type { Config } from '../config/config.ts'
import { featureOf } from '../feature.ts'
import { operatorOutbound } from '../net/operator-outbound.ts'
import type { LanguageModel } from './answer/language-model.ts'
import { HttpLanguageModel, MODEL_LIMITS } from './answer/language-model-http.ts'
import { Chat } from './chat.ts'
import { chatOperations } from './chat-operations.ts'
import type { ContentFolder, ContentPages } from './documents/content-folder.ts'

/** The tools that the chat uses. */
export interface ChatNeeds {
  readonly parts: {
    readonly docsDir?: string | undefined
    readonly docsPages?: ContentPages | undefined
    readonly languageModel?: LanguageModel
  }
  readonly health: { readonly isDraining: boolean }
}

/** The support chat, with the folders and the model of the settings. */
export const chat = featureOf<ChatNeeds>()({
  sql: () => import('./conversations-store-sql.ts'),
  services: (base, { parts, health }): { chat: Chat } => ({
    chat: new Chat({
      ...base,
      folders: contentFolders(base.config, parts),
      model: parts.languageModel ?? modelOf(base),
      isDraining: () => health.isDraining,
    }),
  }),
  operations: chatOperations,
  tasks: ({ chat }) => [
    { name: 'chat-purge', run: async (signal) => ({ purgedChats: await chat.purge(signal) }) },
  ],
})

function contentFolders(
  { chat }: Config,
  { docsDir, docsPages: pages }: ChatNeeds['parts'],
): readonly ContentFolder[] {
  const docs = docsDir === undefined ? [] : [{ dir: docsDir, base: '/docs', pages }]
  return chat.contentDir === undefined ? docs : [...docs, { dir: chat.contentDir, base: '' }]
}

/** Returns the model of the settings; undefined without a key or with a bad setting. */
export function modelOf({ config: { llm, faults }, log }: Base): LanguageModel | undefined {
  const { apiKey } = llm
  if (apiKey === undefined || faults.llm !== undefined) return undefined
  return new HttpLanguageModel({ ...llm, apiKey, outbound: operatorOutbound({ log, limits: MODEL_LIMITS }) })
}
