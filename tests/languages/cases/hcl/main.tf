# == settings
terraform {
# <- def key scope="" vis=public sig="terraform" end=+2
  required_version = ">= 1.5"
}
# == provider
provider "aws" {
#         ^ def key scope=provider sig="provider \"aws\"" end=+2
  region = var.region
#              ^ ref read owner=aws recv=var
#          ^ ref read
}
# == variable
variable "region" {
#         ^ def var scope="" sig="variable \"region\"" end=+3
  type    = string
  default = "eu"
}
# == locals
locals {
  tag = "shop"
# ^ def var scope="" sig=tag
  size = length(var.names)
# ^ def var
#        ^ ref call owner=size
}
# == resource
# Serves the pages.
# <- comment
resource "aws_instance" "web" {
#                        ^ def key scope=aws_instance sig="resource \"aws_instance\" \"web\"" doc="Serves the pages." end=+6
  ami  = data.aws_ami.ubuntu.id
#                     ^ ref read owner=web recv=data.aws_ami
  tags = local.tag
# == block inside a resource
  root_block_device {
# ^ none
    size = 10
  }
}
# == data
data "aws_ami" "ubuntu" {}
#               ^ def key scope=data.aws_ami end=+0
# == module
module "network" {
#       ^ def mod scope=module sig="module \"network\"" end=+2
# <- import module=./modules/network
  source = "./modules/network"
}
# == output
output "address" {
#       ^ def var sig="output \"address\"" end=+2
  value = aws_instance.web.public_ip
#                      ^ ref read owner=address recv=aws_instance
}
# == block without labels
moved {
# <- def key end=+3
  from = a.b
  to   = a.c
}
# == attribute of the file
answer = 42
# <- def key scope="" sig=answer
# == other comment
// Slashes as well.
# <- comment
