import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { makeTemporaryFolder } from './temporaryFolder.ts'

/** A self-signed certificate for localhost and 127.0.0.1 with its key, and another key with a certificate of its own. Valid until the next century, for tests only. */
export const certificate = `-----BEGIN CERTIFICATE-----
MIIBmzCCAUGgAwIBAgIUadZFgDDLaY5cuoG8VZSxIfei8L0wCgYIKoZIzj0EAwIw
FDESMBAGA1UEAwwJbG9jYWxob3N0MCAXDTI2MTEyMDExMjAzNloYDzIxMjYxMDI3
MTEyMDM2WjAUMRIwEAYDVQQDDAlsb2NhbGhvc3QwWTATBgcqhkjOPQIBBggqhkjO
PQMBBwNCAAT8OUKb6kqbt453J0d4P18HDyg4FpkWsUaBIfUhycLG6nlFvcMPpcPx
ZmoPCti/jEZ1LDBY+fX+SdTZTeLuCBPGo28wbTAdBgNVHQ4EFgQUjii9+N7oJ4qI
6VB/ozmkmZC4YWQwHwYDVR0jBBgwFoAUjii9+N7oJ4qI6VB/ozmkmZC4YWQwDwYD
VR0TAQH/BAUwAwEB/zAaBgNVHREEEzARgglsb2NhbGhvc3SHBH8AAAEwCgYIKoZI
zj0EAwIDSAAwRQIhAPEzRenHyEoXsBLL4j4BY4pAZ2qoYohwWvOSqOnMvQsgAiAh
iG1A9sqPIvTq7lA5QrrigMa6gYxyIKf8qJccOAWb2Q==
-----END CERTIFICATE-----`

export const certificateKey = `-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQg/7vXOEma80kCH4Eu
ZfQtGZzoN0bcG9K9wbsrWJHIb8GhRANCAAT8OUKb6kqbt453J0d4P18HDyg4FpkW
sUaBIfUhycLG6nlFvcMPpcPxZmoPCti/jEZ1LDBY+fX+SdTZTeLuCBPG
-----END PRIVATE KEY-----`

export const foreignKey = `-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgmfYHBuQoFnvssUy7
i91N2P2e9JOCTex/rPR0+dTXwnOhRANCAAQ2uzzW9EcSBfzjrtypGq6aynODQuS+
vcQ2tyvoMfjBGn2WQHgpl8ph/UaM6Z6wwcO1mr9xjPJbutgFDnnq7fx5
-----END PRIVATE KEY-----`

export const foreignCertificate = `-----BEGIN CERTIFICATE-----
MIIBmzCCAUGgAwIBAgIUEgGN1x4lxcdrWKxfpIgMmb83V6gwCgYIKoZIzj0EAwIw
FDESMBAGA1UEAwwJbG9jYWxob3N0MCAXDTI2MTEyMjE4MTU1MloYDzIxMjYxMDI5
MTgxNTUyWjAUMRIwEAYDVQQDDAlsb2NhbGhvc3QwWTATBgcqhkjOPQIBBggqhkjO
PQMBBwNCAAQ2uzzW9EcSBfzjrtypGq6aynODQuS+vcQ2tyvoMfjBGn2WQHgpl8ph
/UaM6Z6wwcO1mr9xjPJbutgFDnnq7fx5o28wbTAdBgNVHQ4EFgQU5h+ef53pTKtW
4yEVjTmTlrV3jc0wHwYDVR0jBBgwFoAU5h+ef53pTKtW4yEVjTmTlrV3jc0wDwYD
VR0TAQH/BAUwAwEB/zAaBgNVHREEEzARgglsb2NhbGhvc3SHBH8AAAEwCgYIKoZI
zj0EAwIDSAAwRQIhAIBqhsIU0Riv8vUxb0xduLE5OYDpmlQnm+3zIVlI0FI3AiAl
A0U+iZ6AA2uWDujVyvWE+lFQLhiyHSRuZFpF4qHuog==
-----END CERTIFICATE-----`

/** The certificate and its key as files, for the rest of the test file. */
export async function certificateFiles(): Promise<{ readonly certFile: string; readonly keyFile: string }> {
  const { path: folder } = await makeTemporaryFolder()
  const files = { certFile: join(folder, 'cert.pem'), keyFile: join(folder, 'key.pem') }
  await Promise.all([writeFile(files.certFile, certificate), writeFile(files.keyFile, certificateKey)])
  return files
}
