"""The service: HTTP and MCP as two doors to the functions of ``sunrise.online``."""
