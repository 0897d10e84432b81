import type { LanguageModel } from '../chat/answer/language-model.ts'
import { HttpLanguageModel, MODEL_LIMITS } from '../chat/answer/language-model-http.ts'
import { Chat } from '../chat/chat.ts'
import type { ContentFolder } from '../chat/documents/content-folder.ts'
import type { Config } from '../config/config.ts'
import type { ControlPlaneParts } from '../control-plane.ts'
import type { Health } from '../health/health.ts'
import { operatorOutbound } from '../net/operator-outbound.ts'
import type { Base } from './base.ts'

/** Wires the support chat with the folders and the model of the settings. */
export function chatOf(base: Base, parts: ControlPlaneParts, health: Health): Chat {
  const { config } = base
  return new Chat({
    ...base,
    folders: contentFolders(config, parts),
    model: parts.languageModel ?? modelOf(base),
    isDraining: () => health.isDraining,
  })
}

function contentFolders(
  { chat }: Config,
  { docsDir, docsPages: pages }: ControlPlaneParts,
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
