"""stub"""

TRANSPORT = "openai-http"
