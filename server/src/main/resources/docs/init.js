SwaggerUIBundle({
  url: "/openapi.json",
  dom_id: "#api",
  validatorUrl: null, // no outside host
  persistAuthorization: false,
});
