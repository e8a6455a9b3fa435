import { readFileSync } from 'node:fs'
import { z } from 'zod'
import { asyncApi } from '#gateway/descriptions/asyncApi.ts'
import { DOCS_PAGE, DOCS_SCRIPT, DOCS_STYLE, messagesPage } from '#gateway/descriptions/docsPage.ts'
import { llmsText } from '#gateway/descriptions/llmsText.ts'
import { type DescribedService, openApi, readExamples } from '#gateway/descriptions/openApi.ts'
import { type Answer, jsonAnswer, textAnswer } from '#gateway/http/answer.ts'
import { DOCS_POLICY, PAGE_POLICY } from '#gateway/http/exchange.ts'
import { defineRoute, launchingEntries, type Route, type RouteDescription } from '#gateway/http/route.ts'
import type { Sources } from '#gateway/http/sources.ts'
import { packagePath } from '#package'

const document = z.looseObject({}).describe('The document.')

/** The service's descriptions of itself, generated from its routes at the first request. */
export function descriptionRoutes(
  routes: () => readonly Route[],
  { config, version, chainId }: Pick<Sources, 'config' | 'version' | 'chainId'>,
): readonly Route[] {
  const service = once((): DescribedService => ({ routes: routes(), limits: config, version, examples: readExamples() }))
  const openApiDocument = once(() => openApi(service()))
  const asyncApiDocument = once(() => asyncApi(service()))
  return [
    descriptionRoute('/openapi.json', describeJson('getOpenApi', 'This description: OpenAPI 3.1'), () => jsonAnswer(openApiDocument())),
    descriptionRoute('/asyncapi.json', describeJson('getAsyncApi', 'Messages of WebSocket and SSE: AsyncAPI 3.0'), () =>
      jsonAnswer(asyncApiDocument()),
    ),
    descriptionRoute('/llms.txt', describeText('getLlmsText', 'A description of the service for language models', 'text/plain'), () =>
      textAnswer(
        'text/plain',
        llmsText(service(), openApiDocument(), asyncApiDocument(), { chainId, launchpads: launchingEntries(config.launchpads) }),
      ),
    ),
    descriptionRoute('/docs', describeText('getDocs', 'The documentation of the service as a web page', 'text/html'), () =>
      textAnswer('text/html', DOCS_PAGE, [DOCS_POLICY]),
    ),
    descriptionRoute(
      '/docs/messages',
      describeText('getDocsMessages', 'The messages of WebSocket and SSE as a web page', 'text/html'),
      () => textAnswer('text/html', messagesPage(service(), asyncApiDocument()), [PAGE_POLICY]),
    ),
    fileRoute('page.js', 'getDocsScript', 'text/javascript', () => DOCS_SCRIPT),
    fileRoute('page.css', 'getDocsStyle', 'text/css', () => DOCS_STYLE),
    fileRoute('renderer.js', 'getDocsRenderer', 'text/javascript', () => readRenderer('swagger-ui-bundle.js')),
    fileRoute('renderer.css', 'getDocsRendererStyle', 'text/css', () => readRenderer('swagger-ui.css')),
  ]
}

function fileRoute(name: string, id: string, contentType: 'text/javascript' | 'text/css', read: () => string): Route {
  return descriptionRoute(`/docs/${name}`, describeText(id, 'A file of the documentation page', contentType), () =>
    textAnswer(contentType, read()),
  )
}

function readRenderer(file: string): string {
  return readFileSync(packagePath(`node_modules/swagger-ui-dist/${file}`), 'utf8')
}

/** A route whose answer is made once. It is also compressed once, since compressed forms are kept as long as the answer. */
function descriptionRoute(path: string, description: RouteDescription, make: () => Answer): Route {
  const answer = once(make)
  return defineRoute({ path, cacheControl: 'revalidate', limited: false, description }, async () => answer())
}

function describeJson(id: string, summary: string): RouteDescription {
  return { id, tag: 'Descriptions', summary, answer: document, problems: [] }
}

function describeText(id: string, summary: string, contentType: string): RouteDescription {
  return { id, tag: 'Descriptions', summary, answer: { contentType, meaning: `${summary}.` }, problems: [] }
}

function once<T>(make: () => T): () => T {
  let made: { readonly value: T } | null = null
  return () => (made ??= { value: make() }).value
}
