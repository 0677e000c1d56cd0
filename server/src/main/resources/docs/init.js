SwaggerUIBundle({
  url: "/openapi.json",
  dom_id: "#api",
  validatorUrl: null, // contacts no external host
  persistAuthorization: false,
});
