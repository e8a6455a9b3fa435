import { readFileSync } from 'node:fs'
import { z } from 'zod'
import { type Answer, jsonAnswer } from '#gateway/answer.ts'
import { asyncApi } from '#gateway/descriptions/asyncApi.ts'
import { docsPage } from '#gateway/descriptions/docsPage.ts'
import { readExamples } from '#gateway/descriptions/examples.ts'
import { llmsText } from '#gateway/descriptions/llmsText.ts'
import { type DescribedService, openApi } from '#gateway/descriptions/openApi.ts'
import { type Route, type RouteDescription, resource } from '#gateway/route.ts'
import type { Sources } from '#gateway/sources.ts'

/** The page may load its own script and style, and call this service. Nothing else is allowed. */
const DOCS_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  "trusted-types 'none'",
].join('; ')

const FOLDER = new URL('../descriptions/', import.meta.url)

const document = z.looseObject({}).describe('The document.')

/** The service's descriptions of itself, generated from the routes that it has when they are first asked for. */
export function descriptionRoutes(
  routes: () => readonly Route[],
  { config, version }: Pick<Sources, 'config' | 'version'>,
): readonly Route[] {
  const service = once((): DescribedService => ({ routes: routes(), limits: config, version, examples: readExamples() }))
  const openApiDocument = once(() => openApi(service()))
  const asyncApiDocument = once(() => asyncApi(service()))
  const page = once(() => docsPage(service(), openApiDocument(), asyncApiDocument()))
  const text = once(() => llmsText(service()))
  return [
    descriptionRoute('/openapi.json', describeJson('getOpenApi', 'This description: OpenAPI 3.1'), () => jsonAnswer(openApiDocument())),
    descriptionRoute('/asyncapi.json', describeJson('getAsyncApi', 'Messages of WebSocket and SSE: AsyncAPI 3.0'), () =>
      jsonAnswer(asyncApiDocument()),
    ),
    descriptionRoute('/llms.txt', describeText('getLlmsText', 'The service for language models', 'text/plain'), () =>
      textAnswer('text/plain', text()),
    ),
    descriptionRoute('/docs', describeText('getDocs', 'The documentation as a page', 'text/html'), () => ({
      ...textAnswer('text/html', page()),
      headers: [
        ['Content-Type', 'text/html; charset=utf-8'],
        ['Content-Security-Policy', DOCS_POLICY],
      ],
    })),
    fileRoute('page.js', 'text/javascript'),
    fileRoute('page.css', 'text/css'),
  ]
}

function fileRoute(name: string, contentType: string): Route {
  const text = once(() => readFileSync(new URL(name, FOLDER), 'utf8'))
  const id = name === 'page.js' ? 'getDocsScript' : 'getDocsStyle'
  return descriptionRoute(`/docs/${name}`, describeText(id, 'A part of the documentation', contentType), () =>
    textAnswer(contentType, text()),
  )
}

function descriptionRoute(path: string, description: RouteDescription, answer: () => Answer): Route {
  return resource({ path, cacheControl: 'revalidate', limited: false, description }, async () => answer())
}

function describeJson(id: string, summary: string): RouteDescription {
  return { id, tag: 'Descriptions', summary, answer: document, problems: [] }
}

function describeText(id: string, summary: string, contentType: string): RouteDescription {
  return { id, tag: 'Descriptions', summary, answer: { contentType, meaning: `${summary}.` }, problems: [] }
}

function textAnswer(contentType: string, body: string): Answer {
  return { kind: 'answer', status: '200 OK', headers: [['Content-Type', `${contentType}; charset=utf-8`]], body }
}

function once<T>(make: () => T): () => T {
  let made: { readonly value: T } | null = null
  return () => (made ??= { value: make() }).value
}
