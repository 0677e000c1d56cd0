/** What tests share: an API client, the OpenAPI document, tokens, and the format of the metrics. */
package io.hadir.server.support;
